/**
 * Shell functions that complete `octavo`. They only call the command, so they never become outdated. Sourced from the file that a
 * shell reads when it starts.
 */

const bash = `# bash completion of octavo. Install:
#   octavo completion bash > ~/.local/share/bash-completion/completions/octavo
# or add to ~/.bashrc:
#   source <(octavo completion bash)
_octavo() {
  local line="\${COMP_LINE:0:COMP_POINT}" also reply word lead character
  # The word as people see it: bash ends words at = : and @ as well.
  local full="\${line##*[[:space:]]}"
  COMPREPLY=()
  reply="$("$1" __complete line "$line" 2>/dev/null)" || return 0
  { read -r also; mapfile -t lines; } <<< "$reply"
  full="\${full#[\\"\\']}"
  lead=""
  for character in = : @; do
    [[ "$COMP_WORDBREAKS" == *"$character"* && "$full" == *"$character"* ]] || continue
    word="\${full%"\${full##*"$character"}"}"
    (( \${#word} > \${#lead} )) && lead="$word"
  done
  local is_quoted=""
  [[ "\${line##*[[:space:]]}" == [\\"\\']* ]] && is_quoted=1
  for word in "\${lines[@]}"; do
    word="\${word%%$'\\t'*}"
    [[ -n "$word" ]] || continue
    word="\${word#"$lead"}"
    [[ -n "$is_quoted" ]] || printf -v word '%q' "$word"
    COMPREPLY+=("$word")
  done
  case "$also" in
    files)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "\${full#"$lead"}")
      ;;
    open) compopt -o nospace 2>/dev/null ;;
  esac
  return 0
}
complete -F _octavo octavo
`;

const zsh = `#compdef octavo
# zsh completion of octavo. Install, into a folder of $fpath:
#   octavo completion zsh > "\${fpath[1]}/_octavo"
# or add to ~/.zshrc, after compinit:
#   source <(octavo completion zsh)
_octavo() {
  local -a lines described
  local also line word about
  lines=("\${(@f)$("\${words[1]}" __complete words "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  also="\${lines[1]}"
  for line in "\${(@)lines[2,-1]}"; do
    [[ -n "$line" ]] || continue
    word="\${line%%$'\\t'*}"
    about=""
    [[ "$line" == *$'\\t'* ]] && about="\${line#*$'\\t'}"
    described+=("\${word//:/\\\\:}\${about:+:$about}")
  done
  if (( \${#described} )); then
    if [[ "$also" == open ]]; then _describe 'octavo' described -S ''
    else _describe 'octavo' described
    fi
  fi
  if [[ "$also" == files ]]; then
    compset -P '--*='
    _files
  fi
}
if [[ "\${funcstack[1]}" == _octavo ]]; then _octavo "$@"
else compdef _octavo octavo
fi
`;

const fish = `# fish completion of octavo. Install:
#   octavo completion fish > ~/.config/fish/completions/octavo.fish
function __octavo_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l lines ($program __complete words $words (commandline -ct) 2>/dev/null)
    set -l also $lines[1]
    set -e lines[1]
    printf '%s\\n' $lines
    test "$also" = files; and __fish_complete_path (string replace -r -- '^--[^=]*=' '' (commandline -ct))
end
complete -c octavo -f -a '(__octavo_complete)'
`;

export const completionScripts = { bash, zsh, fish };
