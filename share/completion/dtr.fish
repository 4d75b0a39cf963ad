# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# fish: completion for dtr. Candidates come from `dtr --complete`.

function __dtr_complete
    set -l words (commandline -opc)
    set -l current (string replace -r '^[\'"]' '' -- (commandline -ct))
    for line in (command $words[1] --complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case \tfiles
                __fish_complete_path "$current"
            case \tcommands
                __fish_complete_command
            case '*'
                echo $line
        end
    end
end

complete -c dtr -f -a '(__dtr_complete)'
