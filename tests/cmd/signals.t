# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr reacts to the first signal in any phase: compiling, loading, tracing, printing the final output.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1
err=

# While programs are loaded (which never ends in this test), a signal has its default effect.
if with_bpf 'nothing is loaded'; then
	for sig in TERM:143 INT:130 HUP:129; do
		rm -f loading
		FAULTY_WAIT=loading "$here/tests/loss/faulty" -qn 'BEGIN { printf("BEGIN"); } END { printf("END"); }' \
			-c 'sleep 1000' >out 2>err &
		pid=$!
		children="$children $pid"
		wait_until [ -f loading ]
		child=$(cat "/proc/$pid/task/$pid/children")
		kill "-${sig%:*}" $pid
		wait $pid
		is "$?:$(cat out)" "${sig#*:}:" "SIG${sig%:*} while programs are loaded ends dtr; no clause has run"
		gone() { ! [ -d "/proc/${child% }" ] || grep -q '^State:.*Z' "/proc/${child% }/status"; }
		wait_until gone
		gone
		ok $? 'the waiting command has ended, too'
	done
fi

# The final output is blocked: dtr gives up after some seconds.
mkfifo pipe
sleep 1000 <pipe &
children="$children $!"
awk 'BEGIN { print "BEGIN { exit(0); } END {"
	for (i = 0; i < 300; i++) printf "printf(\"%%1000d\\n\", %d);", i
	print "}" }' >long.d
"$DTR" -qs long.d >pipe 2>err &
pid=$!
children="$children $pid"
wait_for pipe_write "/proc/$pid/wchan"
kill -TERM $pid
wait $pid
is "$?:$(cat err)" "1:$(basename "$DTR"): interrupted while printing the final output: the output is incomplete" \
	'one signal ends blocked final output'

# The same while the session runs.
for tap_engine in bpf user; do
	[ $tap_engine = user ] || "${DTR%/*}/tests/kernel/can_bpf" >why || continue
	"$DTR" -x engine=$tap_engine -qn 'tick-1ms { printf("%10000s", "x"); }' >pipe 2>err &
	pid=$!
	children="$children $pid"
	wait_for pipe_write "/proc/$pid/wchan"
	kill -INT $pid
	wait $pid
	is "$?:$(grep interrupted err)" \
		"1:$(basename "$DTR"): interrupted while the output was blocked: the output is incomplete" \
		"$tap_engine: one signal ends blocked output"
done
done_testing
