# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Records arrive faster than the buffer can hold for one switchrate: the consumer adapts to the rate.
. "$SRC/tests/lib/tap.sh"
need_kernel

# 4 KB hold 128 of these records, but 5,000 arrive in one switchrate of 1 s. How many are printed depends on how soon
# the consumer gets a CPU each time. So the test waits until half of the records of some half second are printed.
# Records that are not printed are drops.
spin_on 0
"$DTR" -x bufsize=4k -x switchrate=1s -x ledger=off -qn 'tick-5000 { printf("R %d\n", cpu); @ = count(); } END {
	printa("of %@d\n", @); }' \
	>"$work/out" 2>"$work/err" &
pid=$!
children="$children $pid"
from='' before=0
ahead() {
	now=$(($(date +%s%N) / 1000000)) printed=$(grep -c '^R' "$work/out")
	from=${from:-$now}
	[ $((now - from)) -ge 500 ] || return 1
	printed_then=$((printed - before)) half=$((5 * (now - from) / 2))
	from=$now before=$printed
	[ $printed_then -ge $half ]
}
wait_until ahead
between "$printed_then" "$half" 100000000 'the consumer follows a rate of 40 times the buffer size per switchrate'
kill -INT $pid
wait $pid
is $? 0 'the session exits with 0'
err=$(cat "$work/err")
drops=$(printf '%s\n' "$err" | awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }')
is "$(($(grep -c '^R' "$work/out") + drops))" "$(sed -n 's/^of //p' "$work/out")" \
	"all records are printed or dropped ($drops)"
stop "$spin"
done_testing
