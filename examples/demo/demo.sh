#!/usr/bin/env bash
# A pull request from its plan to its undo, on the embedded service. Each line after "$ " is the command that is run.
# Usage: demo.sh [folder]: a new or empty folder, which is kept (default: a temporary one, deleted at the end). Needs git.
set -euo pipefail
# Also where the command that runs ends well.
trap 'exit 130' INT

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
program="$here/../../dist/octavo.js"
octavo() { node "$program" "$@"; }

fail() {
  echo "The demo failed: $1" >&2
  exit 1
}
command -v git > /dev/null || fail 'install git, and run it again'

if [ $# -gt 0 ]; then
  mkdir -p "$1"
  [ -z "$(ls -A "$1")" ] || fail "the folder $1 is not empty"
  folder="$(cd "$1" && pwd)"
else
  folder="$(mktemp -d "${TMPDIR:-/tmp}/octavo-demo-XXXXXX")"
  trap 'rm -rf "$folder"' EXIT
fi
cd "$folder"

# Settings of the user do not apply. Fixed dates give the commits the same ids in every demo.
unset ${!OCTAVO_@} ${!GITHUB_@} ${!GIT_@} CI
export HOME="$folder" XDG_STATE_HOME="$folder/.octavo/state" XDG_CACHE_HOME="$folder/.octavo/cache" GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_DATE=2026-01-05T09:00:00Z GIT_COMMITTER_DATE=2026-01-05T09:00:00Z

# A repository of Cleo, with her patches, and a service whose state is a file.
git init --quiet --initial-branch=main --object-format=sha1
git config user.name Cleo
git config user.email cleo@acme.example
git config commit.gpgsign false
git config core.autocrlf false
cp "$here"/*.patch .
echo 'baseUrl: local:.octavo/acme.db # a service on this machine' > octavo.config.yaml
printf '%s\n' .octavo/ '*.patch' plan.json demo.html > .gitignore
mkdir .octavo
octavo api --seed "$here/seed.json" orgs.list > /dev/null

strong='' plain=''
if [ -z "${NO_COLOR:-}" ] && { [ -t 1 ] || [ -n "${FORCE_COLOR:-}" ]; }; then
  strong=$'\e[1m' plain=$'\e[22m'
fi
step=0
scene() {
  step=$((step + 1))
  printf '%s%s. %s%s\n%s\n\n' "$strong" "$step" "$1" "$plain" "$2"
}
# Runs a line, which must end with this exit code (default: 0).
run() {
  printf '%s$ %s%s\n' "$strong" "$1" "$plain"
  local code=0
  eval "$1" < /dev/null 2>&1 || code=$?
  [ "$code" = "${2:-0}" ] || fail "it ended with exit code $code, not ${2:-0}"
  echo
}

cat << TEXT
Octavo keeps documentation workspaces in git. This is Acme, which is made up: a git repository, and a service on
this machine. Each command below runs in this folder:

  $folder

TEXT

scene 'The workspace comes into git' \
  'Acme exports its workspace as manifests. The first apply finds that the live workspace matches them, and records the commit.'
run 'octavo export --out acme.yaml'
run 'git add . && git commit --quiet --message "Acme in git"'
run 'octavo apply --record --auto-approve'

scene 'Cleo opens a pull request' \
  'She renames a section, moves a space to another collection, renames her team, and drops the team of the interns.'
run 'git switch --quiet --create tidy-up'
run 'git apply tidy-up.patch && git commit --quiet --all --message "Tidy up"'
run 'git diff --unified=0 main'

scene 'Ada reviews the plan' \
  'The base separates the changes of this branch from drift. One change is refused: was the team renamed, or is it another one?'
run 'octavo plan --base main' 3

scene 'Cleo answers: it is the same team' \
  'One more line in the manifest. The team keeps its members and what it may edit. The plan is saved, and also written as a page.'
run 'git apply same-team.patch && git commit --quiet --all --message "The docs team is the former writers"'
run 'git diff --unified=1 HEAD~1'
run 'octavo plan --base main --out plan.json --format html=demo.html'

scene 'Approved, merged, applied' \
  'Apply takes the plan that was approved. If the workspace had changed in between, it would stop before its first request.'
run 'git switch --quiet main && git merge --quiet --ff-only tidy-up'
run 'octavo apply plan.json --record'
run 'octavo plan'

scene 'A week later, someone is busy in the app' \
  'These two calls stand for clicks: Bob renames a section, and deletes the share link that the partners use.'
run 'octavo api sections.update organizationId=org_acme siteId=site_docs siteSectionId=sect_api -F title=Endpoints > /dev/null'
run 'octavo api shareLinks.delete organizationId=org_acme siteId=site_docs shareLinkId=sl_partners'

scene 'The next plan finds the drift, and apply reverts it' \
  'The manifests did not change since the record, so every difference was made outside git.'
run 'octavo plan'
run 'octavo apply --auto-approve'

scene 'Undone' \
  'The interns come back after all. Undo plans from the journal of a run and from the live state of today.'
run 'octavo history'
undone="$(octavo history --no-color | sed -n '2s/ .*//p')"
run "octavo undo $undone --auto-approve"

scene 'Git follows' \
  'Once both commits are reverted in git as well, the manifests, the workspace and the record agree again.'
run 'git revert --no-edit main main~1'
run 'octavo plan'

if [ $# -gt 0 ]; then
  echo "Everything is in $folder: open demo.html, or change acme.yaml and run octavo plan (npm run setup puts it on the PATH)."
else
  echo 'The folder is deleted now; npm run demo -- acme keeps it in acme, with demo.html, the plan as a page.'
fi
echo 'Your own workspace: octavo init --from-live, or docs/adopting.md.'
