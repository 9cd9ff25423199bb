# Applies what was approved, and nothing else. Sourced by run.sh.
case "${ACTION_APPROVAL:-merged}" in
  none) expect=() ;;
  merged)
    approval="$(forge approval find ${key[@]+"${key[@]}"})" ||
      fail 'no approval was found for this commit; nothing was applied' refused
    expect=(--expect "$approval")
    ;;
  *) expect=(--expect "$ACTION_APPROVAL") ;;
esac

code=0
octavo apply ${args[@]+"${args[@]}"} --auto-approve ${expect[@]+"${expect[@]}"} --format github || code=$?
exit "$code"
