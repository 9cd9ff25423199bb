# What the commands of the action share. To be sourced.

# Ends with an annotation, and a reason for the steps that follow.
fail() {
  local text="${1//'%'/%25}"
  text="${text//$'\n'/%0A}"
  printf '::error title=octavo::%s\n' "${text//$'\r'/%0D}"
  output failure_reason "${2:-error}"
  exit 1
}

output() {
  if [ -n "${GITHUB_OUTPUT:-}" ]; then printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; fi
}

# Splits the arguments at spaces and line breaks, except in quotes. Nothing in them is run or expanded.
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

# Sets what the commands use: args, a folder for files that nobody keeps, and the command octavo of this checkout.
prepare() {
  split_args
  work="$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/octavo-action-XXXXXX")"
  trap 'rm -rf "$work"' EXIT
  key=("--key" "${ACTION_KEY:-}")
  if [ -z "${ACTION_KEY:-}" ]; then key=(); fi
  binary="$own/dist/octavo.js"
  build
}

# Builds the command, where that was not done yet: from this checkout and its lock file, never by a name. Only what runs stays,
# so that the cache is small.
build() {
  if [ -f "$own/dist/.built" ]; then return; fi
  (
    # Here no .npmrc of the repository that the workflow checked out has a say, and nothing that runs gets a token.
    cd "$own" || exit
    unset ACTION_TOKEN GITHUB_TOKEN GH_TOKEN OCTAVO_TOKEN OCTAVO_TOKEN_FILE
    node scripts/ensure.mjs && npm prune --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
  ) >&2 || fail 'the checkout of the action cannot be built'
}

# Runs Octavo. The token of the forge is for the commands that write there, and the one of the service for the others.
octavo() {
  env -u ACTION_TOKEN -u GITHUB_TOKEN -u GH_TOKEN "$binary" "$@"
}
# With both: labels and approvals of the pull request lift rules.
judged() {
  env -u ACTION_TOKEN -u GH_TOKEN GITHUB_TOKEN="${ACTION_TOKEN:-}" "$binary" "$@"
}
forge() {
  env -u ACTION_TOKEN -u OCTAVO_TOKEN -u OCTAVO_TOKEN_FILE GITHUB_TOKEN="${ACTION_TOKEN:-}" "$binary" "$@"
}

# What the event of this run says of its pull request: "none", "own", or "fork".
pull_request() {
  node -e '
    const { readFileSync } = require("node:fs");
    const path = process.env.GITHUB_EVENT_PATH;
    const { pull_request: pull } = path ? JSON.parse(readFileSync(path, "utf8")) : {};
    const isOwn = pull?.head?.repo?.full_name === process.env.GITHUB_REPOSITORY;
    console.log(pull === undefined ? "none" : isOwn ? "own" : "fork");
  '
}

run_url() {
  printf '%s/%s/actions/runs/%s' "${GITHUB_SERVER_URL:-https://github.com}" "${GITHUB_REPOSITORY:-}" "${GITHUB_RUN_ID:-}"
}
