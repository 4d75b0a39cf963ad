# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# dtr stat: counts compared with getrusage() and perf stat, options, statuses, signals. It uses no BPF.
. "$SRC/tests/lib/tap.sh"
counted=$here/tests/kernel/counted
stat() { run "$DTR" stat "$@"; }
# of EVENT: its count in the last table
of() { printf '%s\n' "$err" | awk -v e="$1" '{ for (i = 2; i <= NF && i < 4; i++) if ($i == e) print $1 }'; }
"$DTR" stat -e page-faults:u true 2>/dev/null || {
	echo '1..0 # SKIP perf events are not allowed'
	exit 0
}
"$DTR" stat -e page-faults true 2>&1 | grep -q 'only in user mode' && kernel= || kernel=1

# ---- counts ----
stat -o "$work/t" "$counted" faults 2000
is "$status" 0 'a command'
err=$(cat "$work/t")
between "$(of page-faults)" "$out" $((out + 200)) "page faults: $out, and those before"
like "$err" ' Counts of .*counted faults 2000.:$' 'title'
for e in task-clock context-switches cpu-migrations page-faults cycles instructions branches branch-misses; do
	like "$err" "^ +([0-9.]+|<not supported>|<not counted>) +(ms )?$e " "row: $e"
done
like "$err" '^ +[0-9.]+ s  (elapsed|user|system)$' 'times'
if [ "$kernel" ]; then
	stat -e cs,context-switches:u "$counted" switches 200
	between "$(of cs)" "$out" $((out + 50)) "context switches: $out, and those before"
	is "$(of context-switches:u)" 0 'none in user mode'
	like "$err" 'context-switches:u .* \[1\]$' 'which a note explains'
	like "$err" '^ \[1\] always 0: ' 'the note'
	stat -e migrations "$counted" migrations 100
	between "$(of migrations)" "$out" $((out + 20)) "migrations: $out, and those before"
else
	skip 'events in the kernel' 'no privilege'
fi
stat "$counted" time 100
clock=$(of task-clock)
between "${clock%.*}" "$((out * 9 / 10))" "$((out * 100))" "task-clock: $clock ms of at least $out ms of CPU time"
like "$err" 'task-clock +# +[01]\.[0-9]+ CPUs utilized( +\[1\])?$' 'CPUs utilized'

# ---- children are counted ----
stat -e page-faults:u sh -c '"$0" faults 500; "$0" faults 700 & wait' "$counted"
sum=$(printf '%s\n' "$out" | awk '{ s += $1 } END { print s }')
between "$(of page-faults:u)" "$sum" $((sum + 1500)) "children: $sum page faults"

# ---- perf stat ----
if any_of perf && perf stat -e page-faults:u true 2>/dev/null; then
	perf stat -x, -e page-faults:u -o "$work/p" "$counted" faults 3000 >/dev/null
	want=$(awk -F, '/page-faults/ { print $1 }' "$work/p")
	stat -e page-faults:u "$counted" faults 3000
	between "$(of page-faults:u)" $((want - 100)) $((want + 100)) "as perf stat: $want page faults"
	# both at once count the same process
	run perf stat -x, -e page-faults:u -o "$work/p" "$DTR" stat -o "$work/t" -e page-faults:u "$counted" faults 3000
	err=$(cat "$work/t")
	between "$(awk -F, '/page-faults/ { print $1 }' "$work/p")" "$(of page-faults:u)" 9999999 \
		'perf stat counts dtr stat and its command'
else
	skip 'perf stat' 'not installed'
fi

# ---- runs and intervals ----
stat -r 3 -e page-faults:u "$counted" faults 1000
is "$status:$(printf '%s\n' "$out" | wc -l)" 0:3 'three runs'
between "$(of page-faults:u)" 1000 1200 'their mean'
like "$err" 'page-faults:u +# .*\(\+- [0-9.]+ %\)$' 'their deviation'
like "$err" ', 3 runs:$' 'their number'
stat -I 50 -e page-faults:u sh -c '"$0" faults 800; sleep 0.2; "$0" faults 900' "$counted"
like "$(printf '%s\n' "$err" | head -n 1)" '^ +time, s +count +event$' 'intervals'
n=$(printf '%s\n' "$err" | awk '$3 == "page-faults:u" && $1 > t { t = $1; n++; sum += $2 }
	END { print (n > 2), sum }')
between "${n#* }" 1700 3500 "the intervals add up: ${n#* }"
is "${n% *}" 1 'several intervals'

# ---- JSON ----
stat -O json -o "$work/j" -e page-faults:u,task-clock,branches -c "$counted faults 1000"
is "$status" 0 'json'
"$here/tests/lib/jsonlines" <"$work/j" >"$work/e" 2>&1
is "$?:$(cat "$work/e")" 0: 'valid JSON'
like "$(cat "$work/j")" '"type":"count","event":"page-faults:u","value":1[0-9]{3},' 'a count'
like "$(cat "$work/j")" '"event":"task-clock","value":[0-9.e+]+,"unit":"ns"' 'a time'
like "$(tail -n 1 "$work/j")" '"type":"stat","runs":1,"elapsed":[0-9]+,"user":[0-9]+,"system":[0-9]+,"status":0' \
	'the end'

# ---- a process, and signals ----
# begin ARG...: starts dtr stat and waits until it counts; finish SIGNAL: sends it, and sets what `run` sets
begin() {
	env --default-signal=INT "$DTR" stat "$@" >"$work/out" 2>"$work/err" &
	pid=$!
	children="$children $pid"
	until ls -l "/proc/$pid/fd" | grep -q perf_event; do
		sleep 0.05
	done 2>/dev/null
}
finish() {
	kill "-$1" $pid
	wait $pid
	status=$? out=$(cat "$work/out") err=$(cat "$work/err")
}
"$counted" time 100000 >/dev/null &
busy=$!
children="$children $busy"
ran=$(awk '{ sub(/.*\) /, ""); print $12 }' /proc/$busy/stat)
begin -p $busy -e task-clock
wait_until has_run $busy $((ran + 20))
finish INT
like "$status:$out" '^0:' 'a process, until Ctrl-C'
like "$out" "^ Counts of process $busy:\$" 'its number'
like "$out" ' [0-9.]+ ms task-clock' 'its time'
begin -p $busy -e task-clock
kill -9 $busy
finish 0
like "$status:$out" '^0:' 'until it ends'
begin -e task-clock sleep 100
finish TERM
is "$status" 143 'SIGTERM: the command gets it'
like "$err" '^ +[0-9.]+ ms task-clock' 'and the table is printed'
begin -e task-clock sh -c 'trap "echo caught; exit 4" INT; echo ready; while :; do sleep 0.1; done'
until grep -q ready "$work/out"; do
	sleep 0.05
done
finish INT
is "$status:$(echo $out)" '4:ready caught' 'SIGINT: the command may handle it'
begin -e task-clock sh -c 'trap "" INT; echo ready; while :; do sleep 0.1; done'
until grep -q ready "$work/out"; do
	sleep 0.05
done
kill -INT $pid
until ! kill -0 $pid 2>/dev/null; do
	kill -INT $pid
	sleep 0.2
done
finish 0 2>/dev/null
is "$status" 137 'a second one kills it'

# ---- statuses ----
stat sh -c 'exit 7'
is "$status" 7 'the status of the command'
stat sh -c 'kill -9 $$'
is "$status" 137 'the signal that ended it'
stat /no/such/command
like "$status:$err" '^127:dtr stat: failed to execute /no/such/command: No such file' 'no command'
stat "$work"
is "$status" 126 'a folder'
stat -e no_such_event true
like "$status:$err" '^1:dtr stat: no_such_event: ' 'an unknown event'
stat -p 2147483647
like "$status:$err" '^1:.*No such process$' 'no process'
for o in '' '-x' '-e' '-e ,a' '-I 5' '-r 0' '-p x' '-O html' '-p 1 -a' '-p 1 true' '-r 2 -p 1' '-r 2 -I 50 true' \
	'-c true true'; do
	stat $o
	like "$status:$(printf '%s\n' "$err" | wc -l):$err" '^2:1:dtr stat: .*\(see dtr stat -h\)' \
		"a wrong command line: stat $o"
done
stat --help
like "$status:$out" '^0:usage: dtr stat ' 'help'
run sh -c '"$0" stat -o /dev/full true' "$DTR"
like "$status:$err" '^1:dtr stat: failed to write /dev/full' 'a full disk'

# ---- privileges ----
if "$here/tests/kernel/as_user" true 2>/dev/null; then
	run "$here/tests/kernel/as_user" "$DTR" stat -e page-faults,task-clock "$counted" faults 1000
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	if [ "$paranoid" -le 1 ]; then
		is "$status" 0 'without privileges'
	elif [ "$paranoid" = 2 ]; then
		like "$status:$err" '^0:' 'without privileges'
		between "$(of page-faults)" 1000 1200 'in user mode'
		like "$err" '^ \[1\] only in user mode: ' 'and a note says so'
	else
		like "$status:$err" '^1:.*CAP_PERFMON' 'not without privileges'
	fi
	run "$here/tests/kernel/as_user" "$DTR" stat -a -e page-faults true
	[ "$paranoid" -le 0 ] || like "$status:$err" '^1:dtr stat: page-faults: .*CAP_PERFMON' \
		'all CPUs need a privilege'
fi

# ---- hardware ----
stat -e cycles,instructions "$counted" time 50
if printf '%s\n' "$err" | grep -q '<not supported>'; then
	like "$err" '^ +<not supported> +cycles +\[1\]$' 'no counters: a row with a note'
	like "$err" '^ \[1\] ' 'the note'
	is "$status" 0 'is no failure'
else
	like "$err" '^ +[0-9]+ +cycles .* GHz' 'cycles'
	like "$err" '^ +[0-9]+ +instructions .* insn per cycle' 'instructions'
fi
done_testing
