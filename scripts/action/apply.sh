# Applies what was approved, and nothing else. Sourced by run.sh.
# Not in $work: the step that follows tells the pull request what came of it.
report="$(mktemp "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/octavo-apply-XXXXXX")"
output apply_report "$report"

case "${ACTION_APPROVAL:-merged}" in
  none) expect=() ;;
  merged)
    approval="$(forge approval find ${key[@]+"${key[@]}"} 2>"$work/why")" || {
      cat "$work/why" >&2
      # Indented text is code, whatever is in it.
      { printf '### octavo apply · ✗ nothing was applied\n\nNo approval was found for this commit:\n\n'
        head -c 4000 "$work/why" | sed 's/^/    /'
        printf '\n\n[The run](%s)\n' "$(run_url)"; } >"$report"
      fail 'no approval was found for this commit; nothing was applied' refused
    }
    cat "$work/why" >&2
    expect=(--approved "$approval")
    ;;
  *) expect=(--approved "$ACTION_APPROVAL") ;;
esac

# In place of this shell: when the run is cancelled, Octavo itself gets the signal and ends in good order.
exec env -u ACTION_TOKEN -u GH_TOKEN GITHUB_TOKEN="${ACTION_TOKEN:-}" \
  "$binary" apply ${args[@]+"${args[@]}"} --auto-approve ${expect[@]+"${expect[@]}"} \
  --format github --format "markdown=$report"
