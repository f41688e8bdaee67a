
_hyperplay_words() {
    local line="${COMP_LINE:0:COMP_POINT}" cur breaks="" prefix="" found=() words=()
    cur="${line##*[[:space:]]}"
    read -ra words <<< "$line"
    [[ -z "$cur" ]] && words+=("")
    if [[ ${#words[@]} -gt 2 ]]; then
        IFS=$'\n' read -d '' -ra found < <("${words[0]}" complete-words -- "${words[@]:1}" 2>/dev/null)
    fi
    if [[ ${#found[@]} -eq 0 ]]; then
        _hyperplay "$@"
        return
    fi
    [[ "$COMP_WORDBREAKS" == *=* ]] && breaks+="="
    [[ "$COMP_WORDBREAKS" == *:* ]] && breaks+=":"
    if [[ -n "$breaks" && "$cur" == *[$breaks]* ]]; then
        prefix="${cur%"${cur##*[$breaks]}"}"
    fi
    COMPREPLY=("${found[@]#"$prefix"}")
    [[ "${found[*]}" == *[=:/] ]] && compopt -o nospace 2>/dev/null
}

complete -F _hyperplay_words -o nosort -o bashdefault -o default hyperplay 2>/dev/null ||
    complete -F _hyperplay_words -o bashdefault -o default hyperplay
