# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Colours of error messages and of help: on a terminal, unless the user refuses them.
. "$SRC/tests/lib/tap.sh"
unset NO_COLOR
escape=$(printf '\033')

terminal() { # COMMAND: its output on a terminal of its own; sets $out
	run script -qec "$1" /dev/null </dev/null
}
is_plain() { unlike "$out$err" "$escape" "$1"; }

command="'$DTR' -x errtags -e -n 'BEGIN { x = ; }'"
TERM=xterm terminal "$command"
like "$out" "$escape\\[1;31mD_SYNTAX$escape\\[0m" 'a tag has a colour on a terminal'
like "$out" "$escape\\[1;31m\\^$escape\\[0m" 'so has the caret'
plain=$(printf '%s\n' "$out" | sed "s/$escape\\[[0-9;]*m//g" | tr -d '\r')
TERM=dumb terminal "$command"
is_plain 'no colours with TERM=dumb'
is "$(printf '%s\n' "$out" | tr -d '\r')" "$plain" 'the text is the same'
export TERM=xterm
NO_COLOR=1 terminal "$command"
is_plain 'no colours with NO_COLOR'
NO_COLOR='' terminal "$command"
like "$out" "$escape" 'an empty NO_COLOR refuses nothing'
terminal "'$DTR' -x color=never -e -n 'BEGIN { x = ; }'"
is_plain 'no colours with -x color=never'
unset TERM
terminal "$command"
is_plain 'no colours without TERM'
export TERM=xterm

run "$DTR" -e -n 'BEGIN { x = ; }'
is_plain 'no colours in a file'
NO_COLOR=1 run "$DTR" -x color=always -e -n 'BEGIN { x = ; }'
like "$err" "$escape\\[1;31m\\^" '-x color=always: also in a file'
run "$DTR" -x color=always -e -n 'BEGIN { printf("%d", "a"); }'
like "$err" "$escape" 'an error of another stage'
run "$DTR" -x color=blue -e -n BEGIN
is "$status" 2 'an unknown value is an error'

terminal "'$DTR' help execname"
like "$out" "$escape\\[1mexecname$escape\\[0m" 'help shows code in bold on a terminal'
NO_COLOR=1 terminal "'$DTR' help execname"
is_plain 'not with NO_COLOR'
run "$DTR" help execname
is_plain 'nor in a file'
done_testing
