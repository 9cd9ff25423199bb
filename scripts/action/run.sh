#!/usr/bin/env bash
# Runs one command of the action: builds Octavo from the checkout of the action, and passes the inputs on as arguments.
set -euo pipefail
own="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
binary="$own/dist/octavo.js"
# Node's compile cache, kept with the build. A cache of another version, or a read-only one, has no effect.
compiled="$own/dist/.compiled"

# Fails with an annotation.
fail() {
  local text="${1//'%'/%25}"
  text="${text//$'\n'/%0A}"
  printf '::error title=octavo::%s\n' "${text//$'\r'/%0D}"
  if [ -n "${GITHUB_OUTPUT:-}" ]; then echo 'failure_reason=1' >>"$GITHUB_OUTPUT"; fi
  exit 1
}

# Splits the input at spaces and line breaks, except in quotes. Runs and expands no part of it.
split_args() {
  args=()
  local rest="${ACTION_ARGS:-}" pattern=$'^([^ \t\r\n\'"]+|\'[^\']*\'|"[^"]*")' word
  while :; do
    rest="${rest#"${rest%%[! $'\t\r\n']*}"}"
    if [ -z "$rest" ]; then return; fi
    word=
    while [[ $rest =~ $pattern ]]; do
      local part="${BASH_REMATCH[0]}"
      rest="${rest:${#part}}"
      case "$part" in [\'\"]*) part="${part:1:${#part}-2}" ;; esac
      word+="$part"
    done
    case "$rest" in [\'\"]*) fail "the input args has a quote (${rest:0:1}) that is not closed" ;; esac
    args+=("$word")
  done
}

# Builds the command if necessary: from this checkout and its lock file, never by a package name. Keeps only runtime files, so that
# the cache is small.
build() {
  if [ -f "$own/dist/.built" ]; then return; fi
  (
    # Runs here, so that the .npmrc of the workflow's checkout does not apply. No build process gets a token.
    cd "$own" || exit
    unset GITHUB_TOKEN GH_TOKEN OCTAVO_TOKEN OCTAVO_TOKEN_FILE
    node scripts/ensure.mjs && npm prune --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error || exit
    # Fills the compile cache.
    cd "$(mktemp -d)" && printf 'octavo: 1\norganization: org_acme\nteams: { a: { title: A } }\n' >octavo.yaml || exit
    env -i PATH="$PATH" HOME="$PWD" NODE_COMPILE_CACHE="$compiled" \
      "$binary" apply --base-url local --seed sample --auto-approve >/dev/null 2>&1 || true
  ) >&2 || fail 'the checkout of the action cannot be built'
}

# Adds the command octavo to the PATH of later steps.
install() {
  if [ -z "${GITHUB_PATH:-}" ]; then fail 'GITHUB_PATH is not set: only a step of a workflow can install'; fi
  local bin="${RUNNER_TEMP:-${TMPDIR:-/tmp}}/octavo-bin"
  mkdir -p "$bin"
  printf '#!/bin/sh\nexport NODE_COMPILE_CACHE="%s"\nexec node "%s" "$@"\n' "$compiled" "$binary" >"$bin/octavo"
  chmod +x "$bin/octavo"
  printf '%s\n' "$bin" >>"$GITHUB_PATH"
}

case "${ACTION_COMMAND:-}" in
  validate | plan | apply | drift | matrix | join | install) ;;
  *) fail "command must be validate, plan, apply, drift, matrix, join or install, is \"${ACTION_COMMAND:-}\"" ;;
esac
split_args
build
if [ "$ACTION_COMMAND" = install ]; then install && exit; fi
words=(ci "$ACTION_COMMAND")
if [ -n "${ACTION_KEY:-}" ]; then words+=(--key "$ACTION_KEY"); fi
# Needs neither secrets nor a token.
if [ "$ACTION_COMMAND" = validate ]; then words=(validate --format github); fi
# exec replaces this shell, so that Octavo gets the signal of a cancelled run and ends in good order.
export NODE_COMPILE_CACHE="$compiled"
exec "$binary" "${words[@]}" ${args[@]+"${args[@]}"}
