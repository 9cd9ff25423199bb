# Plans, shows the plan in one comment of the pull request, and keeps what it does for the apply. Sourced by run.sh.
# Changes are no failure of a plan: the last line of an output counts.
end_with() {
  case "$1" in 0 | 2) output failure_reason '' && exit 0 ;; *) exit "$1" ;; esac
}

from="$(pull_request)"
if [ "$from" = fork ] && [ -z "${OCTAVO_TOKEN:-}${OCTAVO_TOKEN_FILE:-}" ]; then
  fail 'a pull request from a fork has no secrets to plan with: run command validate for it'
fi

code=0
judged plan ${args[@]+"${args[@]}"} --detailed-exitcode \
  --format github --format "markdown=$work/plan.md" --format "json=$work/plan.json" || code=$?

# A run for a fork may not write: its plan is in the summary of the run alone.
if [ "$from" != own ]; then
  end_with "$code"
fi

# What a plan without changes says matters only where an earlier comment says something else. Errors matter always.
creates=()
if [ "$code" -eq 0 ]; then creates=(--update-only); fi
if [ ! -s "$work/plan.md" ]; then
  creates=(--update-only)
  printf '### octavo plan · ✗ ended without a result\n\nSee [the run](%s).\n' "$(run_url)" >"$work/plan.md"
fi
if [ "${ACTION_COMMENT:-true}" = true ]; then
  forge comment --body "$work/plan.md" ${key[@]+"${key[@]}"} ${creates[@]+"${creates[@]}"} ||
    fail 'the comment of the pull request could not be written'
fi
case "$code" in
  0 | 2 | 3)
    forge approval save "$work/plan.json" ${key[@]+"${key[@]}"} || fail 'the plan could not be kept for its apply'
    ;;
esac
end_with "$code"
