# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr why: the whole time of each thread, by state, and what ended its waits, compared with what the threads say.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_types

if with_bpf 'switches are not visible without BPF'; then
	"$DTR" why -O json -o "$work/json" -c "$here/tests/kernel/waits" >"$work/own" 2>"$work/err"
	is "$?$(cat "$work/err")" 0 'a command'
	is "$(python3 "$SRC/tests/cmd/why.py" "$work/json" "$work/own" 2>&1)" '' 'its threads'

	"$here/tests/kernel/waits" 300 >"$work/own" &
	children="$children $!"
	pid=$!
	run "$DTR" why -p $pid
	is "$status$err" 0 'a process until it ends'
	wait $pid
	like "$out" "^ +$pid +$pid waits " '... has a row for each thread'
	like "$out" '^ +[0-9.]+ +[0-9]+ waits [0-9]+: .*, in futex' '... and its waits'

	"$here/tests/kernel/waits" 300 >"$work/own" &
	children="$children $!"
	pid=$!
	run "$DTR" why -p $pid -t $pid
	is "$status:$(printf '%s\n' "$out" | grep -c "^ *$pid *[0-9]")" 0:1 '-t: one thread'
	unlike "$out" '^ +[0-9.]+ +0 |^ *[0-9]+ +[0-9]+ .* 0\.000' '... nothing that did not happen'
	wait $pid

	sleep 60 &
	children="$children $!"
	run "$DTR" why -p $! --for 300ms -O json
	is "$status$err" 0 'a process that never runs'
	like "$out" "\"tid\":$!,.*\"states\":\\[\\{\"state\":\"sleep\",\"certainty\":\"exact\",[^}]*\\}\\]" \
		'... is asleep all the time'
	kill $!
fi

run "$DTR" why
is "$status" 2 'without a target'
like "$err" 'why: -p PID, -c COMMAND or -a is missing' '... is an error'
run "$DTR" why -a -p 1
is "$status" 2 '-a with -p is an error'
run "$DTR" why -a --for 0
is "$status" 2 'an invalid time is an error'
run "$DTR" why -a -t x
is "$status" 2 'an invalid thread is an error'
run "$DTR" why -a -O xml
is "$status" 2 'an invalid format is an error'
run "$DTR" why -a --script
like "$out" '^rawtp:::sched_switch' '--script prints the script'
done_testing
