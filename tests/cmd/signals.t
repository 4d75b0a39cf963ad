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
		like "$(cat err)" 'interrupted before tracing began$' "SIG${sig%:*}: a message says so"
		gone() { ! [ -d "/proc/${child% }" ] || grep -q '^State:.*Z' "/proc/${child% }/status"; }
		wait_until gone
		gone
		ok $? 'the waiting command has ended, too'
	done
fi

# nohup: SIGHUP stays ignored.
(
	trap '' HUP
	exec "$DTR" -qn 'tick-10ms { printf("%d\n", ++n); } END { printf("END\n"); }' >out 2>err
) &
pid=$!
children="$children $pid"
has_lines() { [ "$(wc -l <out)" -ge "$1" ]; }
wait_until has_lines 1
kill -HUP $pid
wait_until has_lines $(($(wc -l <out) + 20))
is "$(grep -c END out)" 0 'an ignored SIGHUP does not end dtr'
kill -TERM $pid
wait $pid
is "$?:$(tail -n 1 out)" 0:END 'SIGTERM then does'

# Output that is blocked: dtr gives up after some seconds. The cases run at the same time.
blocked() { # NAME ARGUMENTS...: starts dtr with a pipe that nobody reads
	name=$1
	shift
	mkfifo "$name.pipe"
	sleep 1000 <"$name.pipe" &
	children="$children $!"
	"$DTR" "$@" >"$name.pipe" 2>"$name.err" &
	eval "pid_$name=$!"
	children="$children $!"
	wait_for pipe_write "/proc/$!/wchan"
}
interrupted() { # NAME TEXT TEST
	eval "wait \$pid_$1"
	is "$?:$(grep interrupted "$1.err")" "1:$(basename "$DTR"): interrupted while $2: the output is incomplete" "$3"
}
awk 'BEGIN { print "BEGIN { exit(0); } END {"
	for (i = 0; i < 300; i++) printf "printf(\"%%1000d\\n\", %d);", i
	print "}" }' >long.d
blocked final -qs long.d
kill -TERM $pid_final
for engine in bpf user; do
	[ $engine = user ] || "${DTR%/*}/tests/kernel/can_bpf" >why || continue
	blocked $engine -x engine=$engine -qn 'tick-1ms { printf("%10000s", "x"); }'
	eval "kill -INT \$pid_$engine"
done
interrupted final 'printing the final output' 'one signal ends blocked final output'
is "$(wc -l <final.err)" 1 'one message'
for engine in bpf user; do
	[ ! -p $engine.pipe ] || interrupted $engine 'the output was blocked' "$engine: one signal ends blocked output"
done
done_testing
