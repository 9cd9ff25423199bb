# bash completion of octavo. Install:
#   octavo completion bash > ~/.local/share/bash-completion/completions/octavo
# or add to ~/.bashrc:
#   source <(octavo completion bash)
_octavo() {
  local line="${COMP_LINE:0:COMP_POINT}" also reply word lead character
  # The word as people see it: bash ends words at = : and @ as well.
  local full="${line##*[[:space:]]}"
  COMPREPLY=()
  reply="$("$1" __complete line "$line" 2>/dev/null)" || return 0
  { read -r also; mapfile -t lines; } <<< "$reply"
  full="${full#[\"\']}"
  lead=""
  for character in = : @; do
    [[ "$COMP_WORDBREAKS" == *"$character"* && "$full" == *"$character"* ]] || continue
    word="${full%"${full##*"$character"}"}"
    (( ${#word} > ${#lead} )) && lead="$word"
  done
  local is_quoted=""
  [[ "${line##*[[:space:]]}" == [\"\']* ]] && is_quoted=1
  for word in "${lines[@]}"; do
    word="${word%%$'\t'*}"
    [[ -n "$word" ]] || continue
    word="${word#"$lead"}"
    [[ -n "$is_quoted" ]] || printf -v word '%q' "$word"
    COMPREPLY+=("$word")
  done
  case "$also" in
    files)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${full#"$lead"}")
      ;;
    open) compopt -o nospace 2>/dev/null ;;
  esac
  return 0
}
complete -F _octavo octavo
