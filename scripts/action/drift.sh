# Opens an issue while the live state differs from what was applied, and closes it once it does not. Sourced by run.sh.
code=0
octavo drift ${args[@]+"${args[@]}"} \
  --format github --format "markdown=$work/drift.md" --format "json=$work/drift.json" || code=$?
case "$code" in 0 | 2) output failure_reason '' ;; *) exit "$code" ;; esac

# Only a base tells drift from changes that are not applied yet.
drift="$(node -e '
  const { counts, organizations } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
  if (!organizations.every(({ withBase }) => withBase)) process.exit(1);
  const left = organizations.flatMap(({ leftovers = [] }) => leftovers);
  console.log(Object.values(counts).reduce((sum, count) => sum + count, left.length));
' "$work/drift.json")" || fail 'drift cannot be told from changes without a base: record each apply (--record=origin)'
output drift "$drift"

if [ "$drift" -eq 0 ]; then
  forge issue --close ${key[@]+"${key[@]}"} || fail 'the issue about drift could not be closed'
else
  forge issue --title "${ACTION_ISSUE_TITLE:-Drift}" --body "$work/drift.md" ${key[@]+"${key[@]}"} ||
    fail 'the issue about drift could not be written'
fi
