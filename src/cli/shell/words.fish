
function __hyperplay_words
    set -l before (commandline -opc)
    if test (count $before) -gt 1
        $before[1] complete-words -- $before[2..-1] (commandline -ct) 2>/dev/null
    end
end
complete -c hyperplay -a '(__hyperplay_words)'
