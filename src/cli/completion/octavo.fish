# fish completion of octavo. Install:
#   octavo completion fish > ~/.config/fish/completions/octavo.fish
function __octavo_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l lines ($program __complete words $words (commandline -ct) 2>/dev/null)
    set -l also $lines[1]
    set -e lines[1]
    printf '%s\n' $lines
    test "$also" = files; and __fish_complete_path (string replace -r -- '^--[^=]*=' '' (commandline -ct))
end
complete -c octavo -f -a '(__octavo_complete)'
