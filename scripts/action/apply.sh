# Applies what was approved, and nothing else. Sourced by run.sh.
case "${ACTION_APPROVAL:-merged}" in
  none) expect=() ;;
  merged)
    approval="$(forge approval find ${key[@]+"${key[@]}"})" ||
      fail 'no approval was found for this commit; nothing was applied' refused
    expect=(--approved "$approval")
    ;;
  *) expect=(--approved "$ACTION_APPROVAL") ;;
esac

# In place of this shell: when the run is cancelled, Octavo itself gets the signal and ends in good order.
exec env -u ACTION_TOKEN -u GITHUB_TOKEN -u GH_TOKEN \
  "$binary" apply ${args[@]+"${args[@]}"} --auto-approve ${expect[@]+"${expect[@]}"} --format github
