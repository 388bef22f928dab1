export const shellNames = ['bash', 'zsh', 'fish'] as const;

/** Files are completed if nothing else fits. In each, an error of the program completes nothing and says nothing. */
export const completionScripts: Readonly<Record<(typeof shellNames)[number], string>> = {
  bash: `# Completes clawrden in bash.
_clawrden() {
  local words
  words=$("\${COMP_WORDS[0]}" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return 0
  mapfile -t COMPREPLY < <(cut -f 1 <<<"$words" | sed '/^$/d')
}
complete -o default -F _clawrden clawrden
`,
  zsh: `#compdef clawrden
# Completes clawrden in zsh.
_clawrden() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe 'clawrden' found; else _files; fi
}
compdef _clawrden clawrden
`,
  fish: `# Completes clawrden in fish.
function __clawrden_words
    set -l words (commandline -opc) (commandline -ct)
    $words[1] completion words -- $words[2..-1] 2>/dev/null
end
complete -c clawrden -a '(__clawrden_words)'
`,
};
