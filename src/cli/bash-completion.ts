/**
 * Ours, because the library's script needs the package bash-completion, cannot be sourced twice, and runs `$(…)` that
 * is still being typed. Asks `zoo complete -- WORDS…` for lines of value and description and a last line `:NUMBER`.
 */
export const bashCompletion = `# bash completion for zoo: source <(zoo completion bash)
__zoo_complete() {
  local current="\${COMP_WORDS[COMP_CWORD]}" line value
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      # Bit 4 of the number: file names make no sense here.
      :*) if (((\${line#:} & 4) != 0)); then compopt +o default 2>/dev/null; fi ;;
      *)
        value="\${line%%$'\\t'*}"
        if [[ -n $value && $value == "$current"* ]]; then COMPREPLY+=("$value"); fi
        ;;
    esac
  done < <(zoo complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F __zoo_complete zoo
`;
