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

# A large ring is mapped in parts. dtr is stopped while records fill more than one of them, five times, so that they
# also pass the ring's end: all are printed, in order, and the parts are not all in memory.
cat >"$work/calls.py" <<'END'
import os, sys
for line in sys.stdin:
    for i in range(20000):
        os.getppid()
    print("made", flush=True)
END
if with_bpf 'the rings are the kernel engine'"'"'s'; then
	mkfifo "$work/rounds"
	python3 "$work/calls.py" <"$work/rounds" >"$work/made" &
	maker=$!
	children="$children $maker"
	exec 8>"$work/rounds"
	"$DTR" -x bufsize=4m -x bufqueue=1g -p $maker -qn 'syscall::getppid:entry /pid == $target/ { printf("N %d %s\n",
		++n, "a line that is long enough for records to fill parts of the ring soon"); }' >"$work/lines" 8>&- &
	pid=$!
	children="$children $pid"
	armed() { ls -l /proc/$pid/fd 2>/dev/null | grep -q 'bpf.link\|bpf-prog'; }
	wait_until armed
	lines() { [ "$(grep -c '^N' "$work/lines")" -ge "$1" ]; }
	until echo >&8 && wait_until lines 1; do :; done	# firing has begun
	for round in 1 2 3 4 5; do
		before=$(grep -c made "$work/made")
		kill -STOP $pid
		echo >&8
		made() { [ "$(grep -c made "$work/made")" -gt "$before" ]; }
		wait_until made
		kill -CONT $pid
		wait_until lines $((round * 20000 + 1))
	done
	most=$(awk '$1 == "VmHWM:" { print $2 }' /proc/$pid/status)
	exec 8>&-
	wait $maker
	wait $pid
	is "$(awk '$1 == "N" && $2 != ++n { print; exit }' "$work/lines")" '' \
		"all records of parts of a ring are in order ($(grep -c '^N' "$work/lines"))"
	between "$most" 1000 40000 'not all of the rings is mapped at once, KB'
fi
done_testing
