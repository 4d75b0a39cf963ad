# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks as keys on this kernel, hardly any of which repeat.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1

# There is room for 1,024 stacks on two CPUs, but more than twice as many different ones occur: trunc() makes room.
# While dtr has no CPU, new stacks may be dropped, which is reported; so the session runs until enough rows are printed.
"$DTR" -x unwind=fp -q -x aggsize=64k -x ledger=off -c "$here/tests/kernel/paths 600" -n '
	profile-1999 /pid == $target/ { @[ustack()] = count(); @n = count(); }
	tick-50ms { printa(@); trunc(@); } END { printa(@); trunc(@); printf("all"); printa(" %@d\n", @n); }' \
		>"$work/out" 2>"$work/err" &
pid=$!
children="$children $pid"
enough() { [ "$(grep -cE '^ *[0-9]+$' "$work/out")" -ge 2049 ]; }
wait_until enough
kill -INT $pid
wait $pid
is $? 0 'a session that truncates every 50 ms'
out=$(cat "$work/out") err=$(cat "$work/err")
# From the output: the number of rows, the sum of their counts, the rows with frames of the program, all firings.
# shellcheck disable=SC2086
set -- $(printf '%s\n' "$out" | awk '
	/`/ { ours += /paths`/; next }
	$1 == "all" { n = $2; next }
	NF == 1 && $1 ~ /^[0-9]+$/ { rows++; sum += $1; if (ours) known++; ours = 0 }
	END { print rows + 0, sum + 0, known + 0, n + 0 }')
echo "# $1 rows, $2 counted, $3 with frames, $4 firings"
drops=$(printf '%s\n' "$err" | awk '/ drops? / { n += $2 } END { print n + 0 }')
is "$(($2 + drops))" "$4" "each firing is in a row or reported as a drop ($drops)"
between "$1" 2049 "$4" 'more rows than fit at a time'
is "$(($3 * 10 > $1 * 9))" 1 'at least 90 % of the rows have frames of the program'

# Tables of stacks of every size: the same rows from rows in memory (256k), from the kernel's maps (0), and from both.
counted() { # AGGTABLE [OPTION...]: the rows of 300 stacks of two processes
	table=$1
	shift
	run "$DTR" -x unwind=fp -q -x ledger=off -x aggtable=$table "$@" -c "$here/tests/kernel/paths calls 300" -n '
		syscall::getppid:entry /pid == $target || ppid == $target/ {
			@u[pid == $target, ustack()] = count(); @short[ustack(9)] = count(); @k[stack()] = count(); }
		END { printa("%d%k%@d\n", @u); printa("%k%@d\n", @short); printa("%k%@d\n", @k); }'
	# the C library may have no symbol there, and is at another address in each run
	out=$(printf '%s\n' "$out" | sed 's/`0x[0-9a-f]*$/`0x/')
}
if with_bpf 'system calls'; then
	counted 0
	whole=$out
	is "$status:$err:$(printf '%s\n' "$out" | grep -c '^ *2$')" '0::600' \
		'without tables: 600 stacks with two calls each'
	for table in 1k 4k 16k 256k; do
		counted $table
		is "$err:$out" ":$whole" "tables of $table: the same rows"
	done
fi

# Stacks of two generations, in small tables: the calls of all rows together.
sum() { # AGGTABLE
	run "$DTR" -x unwind=fp -q -x ledger=off -x aggtable=$1 -x switchrate=1ms \
		-c "$here/tests/kernel/paths calls 4000" -n '
		syscall::getppid:entry /pid == $target || ppid == $target/ { @[ustack(), stack()] = count(); }
		tick-5ms { printa(@); trunc(@); }
		END { printa(@); }'
	# the second process may end before its functions are printed: then they have no names
	out=$(printf '%s\n' "$out" | awk '/paths`(left|right)|^ *0x[0-9a-f]+$/ { framed = 1 }
		NF == 1 && /^ *[0-9]+$/ { if (framed) sum += $1; framed = 0 } END { print sum }')
}
if with_bpf 'system calls'; then
	for table in 0 1k 16k 256k; do
		sum $table
		is "$err:$out" ':16000' "tables of $table, truncated: every call is counted, with its frames"
	done
fi

# maxframes limits stackdepth, too.
depth() { # OPTION...
	run "$DTR" -x unwind=fp -q -x ledger=off "$@" -c 'echo x' -n 'syscall::write:entry /pid == $target/ {
		@ = max(stackdepth); } END { printa("%@d\n", @); }'
	out=$(printf '%s\n' "$out" | grep -v x)
}
if with_bpf 'system calls'; then
	depth
	whole=$out
	is "$((whole > 2))" 1 'a system call has more than two frames'
	depth -x maxframes=2
	is "$out" 2 'maxframes=2: stackdepth is 2'
	# the kernel has one more frame while another session has a probe there, too: again, if one began or ended
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		depth
		whole=$out
		depth -x maxframes=100
		more=$out
		depth
		[ "$out" != "$whole" ] || break
	done
	is "$more" "$whole" 'a larger maxframes has no effect'
fi

done_testing
