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

# Splits the arguments at spaces and line breaks. Nothing in them is run or expanded.
split_args() {
  args=()
  local line
  while read -ra line || [ "${#line[@]}" -gt 0 ]; do
    args+=(${line[@]+"${line[@]}"})
    line=()
  done <<<"${ACTION_ARGS:-}"
}

# Sets what the commands use: args, a folder for files that nobody keeps, and the command octavo.
prepare() {
  split_args
  work="$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/octavo-action-XXXXXX")"
  trap 'rm -rf "$work"' EXIT
  key=("--key" "${ACTION_KEY:-}")
  if [ -z "${ACTION_KEY:-}" ]; then key=(); fi
  local version="${ACTION_VERSION:-}"
  if [ "$version" = installed ]; then
    binary="$(command -v octavo)" || fail 'octavo is not on the PATH: install it, or leave version out'
    return
  fi
  if [ -z "$version" ]; then
    version="$(node -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).version' "$here/../../package.json")"
  fi
  case "$version" in
    '' | *[!0-9A-Za-z.^~-]*) fail "\"$version\" is not a version of Octavo" ;;
  esac
  npm install --silent --no-audit --no-fund --ignore-scripts --omit=optional \
    --prefix "$work/tools" "octavo@$version" >&2 || fail "octavo@$version cannot be installed"
  binary="$work/tools/node_modules/.bin/octavo"
}

# Runs Octavo. The token of the forge is for the commands that write there, and the one of the service for the others.
octavo() {
  env -u ACTION_TOKEN -u GITHUB_TOKEN -u GH_TOKEN "$binary" "$@"
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
