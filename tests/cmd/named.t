# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Rows of ended processes that print the same are one row, unless another key tells the processes apart.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_types
swarm=$here/tests/kernel/swarm
# Eight programs, each at other addresses; each has 60 processes that call getppid().
cat >"$work/run" <<EOF
#!/bin/sh
for i in 1 2 3 4 5 6 7 8; do $swarm ended 60 plain; done
EOF
chmod +x "$work/run"

# rows KEYS OPTIONS...: sets $rows to the number of rows and $sum to the sum of their counts
rows() {
	keys=$1
	shift
	run "$DTR" -x ledger=off -qn "syscall::getppid:entry /execname == \"swarm\" && progenyof(\$target)/ {
		@[$keys] = count(); } END { printa(\"row %@d\\n\", @); }" -c "$work/run" "$@"
	rows=$(grep -c '^row' "$work/out")
	sum=$(awk '/^row/ { n += $2 } END { print n + 0 }' "$work/out")
}
# Stacks that lack frames are not like the others: their number. A share of up to one in 200 is not reported.
lacking() {
	printf '%s\n' "$err" | awk '/user stacks lack frames/ { for (i = 1; i < NF; i++) if ($i == "of") n = $(i - 1) }
		END { print n + 0 }'
}

if with_bpf 'system calls'; then
	rows 'ustack()'
	is "$sum" 480 'stacks: all are counted'
	between "$rows" 1 $((1 + $(lacking))) 'stacks of ended processes are one row'
	rows 'pid, ustack()'
	is "$rows $sum" '480 480' 'a process ID keeps them apart'
	rows 'ustack(), execname, ustack(2)'
	between "$rows" 1 $((1 + $(lacking))) 'several stacks in a key'
	rows 'usym(ucaller)'
	is "$sum" 480 'symbols: all are counted'
	between "$rows" 1 $((1 + $(lacking))) 'symbols of ended processes are one row'
	rows 'ustack()' -n 'tick-100ms { printa("row %@d\n", @); trunc(@); }'
	is "$sum" 480 'trunc(): all are counted, some early'
	rows 'ustack()' -n 'tick-100ms { clear(@); }'
	between "$rows" 1 $((1 + $(lacking))) 'clear(): rows of ended processes stay one row'
	run "$DTR" -x ledger=off -O json -qn 'syscall::getppid:entry /execname == "swarm" && progenyof($target)/ {
		@[ustack()] = count(); }' -c "$work/run"
	is "$(printf '%s\n' "$out" | grep -c '"pid"')" 480 'JSON has a row for each process'
fi
done_testing
