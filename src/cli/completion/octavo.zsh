#compdef octavo
# zsh completion of octavo. Install, into a folder of $fpath:
#   octavo completion zsh > "${fpath[1]}/_octavo"
# or add to ~/.zshrc, after compinit:
#   source <(octavo completion zsh)
_octavo() {
  local -a lines described
  local also line word about
  lines=("${(@f)$("${words[1]}" __complete words "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  also="${lines[1]}"
  for line in "${(@)lines[2,-1]}"; do
    [[ -n "$line" ]] || continue
    word="${line%%$'\t'*}"
    about=""
    [[ "$line" == *$'\t'* ]] && about="${line#*$'\t'}"
    described+=("${word//:/\\:}${about:+:$about}")
  done
  if (( ${#described} )); then
    if [[ "$also" == open ]]; then _describe 'octavo' described -S ''
    else _describe 'octavo' described
    fi
  fi
  if [[ "$also" == files ]]; then
    compset -P '--*='
    _files
  fi
}
if [[ "${funcstack[1]}" == _octavo ]]; then _octavo "$@"
else compdef _octavo octavo
fi
