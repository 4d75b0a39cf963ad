# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks as keys on this kernel, where they hardly ever repeat.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1

# Room for 1,024 stacks on two CPUs, and more than twice as many different ones come: truncating makes room. What comes
# while dtr has no CPU may find no room, which is reported; so it runs until enough rows were printed.
"$DTR" -q -x aggsize=64k -x ledger=off -c "$here/tests/kernel/paths 600" -n 'profile-1999 /pid == $target/ {
	@[ustack()] = count(); @n = count(); }
	tick-50ms { printa(@); trunc(@); } END { printa(@); trunc(@); printf("all"); printa(" %@d\n", @n); }' \
		>"$work/out" 2>"$work/err" &
pid=$!
children="$children $pid"
enough() { [ "$(grep -cE '^ *[0-9]+$' "$work/out")" -ge 2049 ]; }
wait_until enough
kill -INT $pid
wait $pid
is $? 0 'truncated twenty times a second'
out=$(cat "$work/out") err=$(cat "$work/err")
# Summed up from what is printed: rows, their counts, rows with frames of the program; and all firings.
# shellcheck disable=SC2086
set -- $(printf '%s\n' "$out" | awk '
	/`/ { ours += /paths`/; next }
	$1 == "all" { n = $2; next }
	NF == 1 && $1 ~ /^[0-9]+$/ { rows++; sum += $1; if (ours) known++; ours = 0 }
	END { print rows + 0, sum + 0, known + 0, n + 0 }')
echo "# $1 rows, $2 counted, $3 with frames, $4 firings"
drops=$(printf '%s\n' "$err" | awk '/ drops? / { n += $2 } END { print n + 0 }')
is "$(($2 + drops))" "$4" "each firing is in a row or reported as a drop ($drops)"
between "$1" 2049 "$4" 'more rows than there is room for at a time'
is "$(($3 * 10 > $1 * 9))" 1 'the rows have their frames'

# maxframes limits the depths, too.
depth() { # OPTION...
	run "$DTR" -q -x ledger=off "$@" -c 'echo x' -n 'syscall::write:entry /pid == $target/ {
		@ = max(stackdepth); } END { printa("%@d\n", @); }'
	out=$(printf '%s\n' "$out" | grep -v x)
}
if with_bpf 'system calls'; then
	depth
	whole=$out
	is "$((whole > 2))" 1 'a system call has more than two frames'
	depth -x maxframes=2
	is "$out" 2 'maxframes=2: stackdepth is 2'
	depth -x maxframes=100
	is "$out" "$whole" 'a larger limit changes nothing'
fi

done_testing
