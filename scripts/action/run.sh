#!/usr/bin/env bash
# Runs one command of the action: reads its inputs, builds Octavo, and goes on in the script of the command.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
own="$(cd "$here/../.." && pwd)"
# shellcheck source=scripts/action/common.sh
source "$here/common.sh"

case "${ACTION_COMMAND:-}" in
  # Of the action itself, after apply.
  report) if [ -z "${ACTION_REPORT:-}" ]; then exit 0; fi ;;
  validate | plan | apply | drift | install) ;;
  *) fail "command must be validate, plan, apply, drift or install, is \"${ACTION_COMMAND:-}\"" ;;
esac

prepare
# shellcheck source=/dev/null
source "$here/$ACTION_COMMAND.sh"
