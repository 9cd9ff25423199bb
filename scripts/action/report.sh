# Tells the pull request what came of its apply, where its plan was. Sourced by run.sh, after an apply however that ended; never
# fails, since the apply is over.
report="${ACTION_REPORT:-}"
# Without changes there was nothing to tell, unless the comment shows a plan.
creates=()
if [ "${ACTION_CHANGES:-}" = 0 ] && [ -z "${ACTION_FAILURE_REASON:-}" ]; then creates=(--update-only); fi
if [ ! -s "$report" ]; then
  printf '### octavo apply · ✗ ended without a result\n\nSee [the run](%s).\n' "$(run_url)" >"$report"
fi
forge comment --body "$report" ${key[@]+"${key[@]}"} ${creates[@]+"${creates[@]}"} ||
  printf '::warning title=octavo::the result of the apply could not be written on the pull request\n'
rm -f "$report"
exit 0
