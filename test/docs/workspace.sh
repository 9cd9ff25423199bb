# Sourced by pages of the documentation, in comments that readers do not see: a git repository with a remote, the manifests of a workspace in docs/, and
# an embedded service that has what they declare. The branch "change" has a commit that is not applied yet, and is checked out.
# Made once for all pages: each gets a copy.
if [ ! -d "$DOCS_SHARED/ready" ]; then
  made=$(mktemp -d "$DOCS_SHARED/made.XXXXXX")
  (
    mkdir "$made/work" && cd "$made/work"
    export OCTAVO_BASE_URL=local:acme.db XDG_STATE_HOME="$made/state"
    git init --quiet --initial-branch main
    git init --quiet --bare ../origin.git
    git remote add origin ../origin.git
    printf '%s\n' 'acme.db*' .octavo > .gitignore
    mkdir docs
    cat > docs/acme.yaml <<'YAML'
octavo: 1
organization:
  id: org_acme
  title: Acme
teams:
  platform: { title: Platform }
  writers: { title: Writers }
sites:
  developer-hub: { title: Developer Hub }
YAML
    octavo api --seed sample orgs.list > /dev/null
    git add . && git commit --quiet --message 'The workspace'
    octavo apply -f docs --auto-approve --record > /dev/null 2>&1
    git push --quiet origin main && git fetch --quiet
    git checkout --quiet -b change
    sed -i.orig 's/title: Writers/title: Technical writers/' docs/acme.yaml && rm docs/acme.yaml.orig
    git commit --quiet --all --message 'Rename the writers'
  )
  mv "$made" "$DOCS_SHARED/ready"
fi
cp -r "$DOCS_SHARED/ready/work/." .
cp -r "$DOCS_SHARED/ready/origin.git" ..
export OCTAVO_BASE_URL=local:acme.db
