# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `dtr top` on a pseudo-terminal: what it draws, its keys, and how it leaves the terminal.
# silent: 600 s: it prints the results of its program when that has ended
. "$SRC/tests/lib/tap.sh"

# Without a terminal there is one error.
run "$DTR" top
is "$status:$out$err" '1:dtr: top: standard output is not a terminal' 'without a terminal there is one error'
run "$DTR" top -h
like "$status:$out" '^0:top - ' '-h prints help'
while IFS='|' read -r args reason; do
	eval "run \"\$DTR\" top $args"
	is "$status:$out$err" "2:dtr top: $reason (see dtr top -h)" "top $args is refused"
done <<'E2'
-F 0|invalid rate '0': not a number with a unit: the number must be positive
-i 50ms|invalid period '50ms': at least 100ms
-i 10hz|invalid period '10hz': expected a time such as 2 (seconds), 500ms, 1m
-F 97 -n BEGIN|-F: the script has its own rates
-F 97 exact|-F: exact does not sample
this|unexpected argument 'this'
exact that|unexpected argument 'that'
-l|unknown option -l
--bad|unknown option --bad
-i|option -i needs a value
E2
need_kernel
need_room
python3 -u "$SRC/tests/cmd/top.py" >"$work/top" 2>&1
status=$?
while read -r result name; do
	case $result in
	ok) ok 0 "$name" ;;
	not) ok 1 "$name" ;;
	skip) skip "${name%%|*}" "${name#*|}" ;;
	*) printf '# %s %s\n' "$result" "$name" ;;
	esac
done <"$work/top"
is "$status:$(tail -n 1 "$work/top")" '0:end' 'the test has ended by itself'
done_testing
