_hyperplay() {
    local -a found
    if (( CURRENT > 2 )); then
        found=("${(@f)$("${words[1]}" complete-words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
        found=(${found:#})
    fi
    if (( ${#found} == 0 )); then
        _hyperplay_options "$@"
        return
    fi
    local -a open closed
    open=(${(M)found:#*[=:/]})
    closed=(${found:#*[=:/]})
    (( ${#open} )) && compadd -Q -S '' -- $open
    (( ${#closed} )) && compadd -Q -- $closed
}

