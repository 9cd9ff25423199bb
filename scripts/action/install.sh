# Puts the command octavo on the PATH of the steps that follow. Sourced by run.sh.
if [ -z "${GITHUB_PATH:-}" ]; then fail 'GITHUB_PATH is not set: only a step of a workflow can install'; fi
# Not in $work, which is gone after this step.
bin="${RUNNER_TEMP:-${TMPDIR:-/tmp}}/octavo-bin"
mkdir -p "$bin"
printf '#!/bin/sh\nexec node "%s" "$@"\n' "$binary" >"$bin/octavo"
chmod +x "$bin/octavo"
printf '%s\n' "$bin" >>"$GITHUB_PATH"
