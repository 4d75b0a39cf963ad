# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sessions on this kernel: BEGIN to END, exit statuses, signals, targets, files.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room

run "$DTR" -qn 'BEGIN { printf("hello\n"); exit(0); }'
is "$status:$out" '0:hello' 'BEGIN prints'
run "$DTR" -n 'tick-10ms { printf("%d\n", i++); } tick-10ms /i > 3/ { exit(7); }'
is "$status" 7 'exit(7) ends with 7'
is "$(printf '%s\n' "$err" | head -n 1)" "dtr: description 'tick-10ms ' matched 2 probes" \
	'both clauses are reported as matched'
run "$DTR" -qn 'tick-10ms { printf("%d\n", i++); } tick-10ms /i > 3/ { exit(7); }'
is "$(echo $out)" '0 1 2 3' 'four ticks, in order'
run "$DTR" -qn 'BEGIN { exit(3); } END { printf("end\n"); }'
is "$status:$out" '3:end' 'END runs after exit()'
run "$DTR" -qn 'BEGIN { printf("a "); }' -n 'BEGIN { printf("b "); exit(0); }' -n 'END { printf("c"); }'
is "$out" 'a b c' 'several -n run in order'
run "$DTR" -qn 'BEGIN, END { printf("%s ", probename); } BEGIN { exit(0); }'
is "$out" 'BEGIN END ' 'several probes in one clause'
run "$DTR" -n 'BEGIN { trace(1); exit(0); }'
like "$out" '^CPU     ID                    FUNCTION:NAME$' 'the header of the output'
like "$out" '^ +[0-9]+ +1 +:BEGIN +1 *$' 'a traced value in its column'
is "$(printf '%s\n' "$err" | head -n 1)" "dtr: description 'BEGIN ' matched 1 probe" 'one probe'

# The kernel permits 64 maps per program; each of these arrays is one.
arrays() { # COUNT: prints a script with that many arrays in one clause
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) { set = set "a" i "[1] = " i "; "; sum = sum "+a" i "[1]" }
		print "BEGIN { " set "trace(0" sum "); exit(0); }" }'
}
run "$DTR" -qn "$(arrays 100)"
is "$status:$out" '0:4950' 'a hundred arrays in one clause'
arrays 300 | sed 's/trace.*;/exit(0);/' >"$work/many.d"
run "$DTR" -q -x errtags -s "$work/many.d"
is "$status:$err" '0:' 'three hundred arrays in one clause'
if with_bpf 'only programs of the kernel are bounded'; then
	arrays 3000 | sed 's/trace.*;/exit(0);/' >"$work/many.d"
	run "$DTR" -q -x errtags -s "$work/many.d"
	like "$status:$err" '^1:dtr: .*\[D_LIMIT\] line 1: .* too many aggregations and associative arrays' \
		'three thousand arrays are refused with one message'
fi

printf '#!%s -qs\nBEGIN { printf("%%d %%s\\n", $1, $$2); exit(0); }\n' "$DTR" >"$work/x.d"
chmod +x "$work/x.d"
run "$work/x.d" 5 word
is "$out" '5 word' 'an executable script with arguments'
printf '#pragma D option quiet\nBEGIN { printf("%%d", strsize_is = 1); exit(0); }\n' >"$work/q.d"
run "$DTR" -s "$work/q.d"
is "$out" '1' '#pragma D option quiet'
printf 'BEGIN { exit(0); }\nEND { trace(1); }\n' >"$work/two.d"
run "$DTR" -s "$work/two.d"
is "$(printf '%s\n' "$err" | head -n 1)" "dtr: script '$work/two.d' matched 2 probes" \
	'the matches of a script are reported'
! with_bpf 'its engine is named' || is "$(printf '%s\n' "$err" | wc -l)" 1 'only the matches are reported'
run "$DTR" -q -o "$work/o" -n 'BEGIN { printf("x\n"); exit(0); }'
run "$DTR" -q -o "$work/o" -n 'BEGIN { printf("y\n"); exit(0); }'
is "$(echo $(cat "$work/o"))" 'x y' '-o appends'
run "$DTR" -qn 'BEGIN { printf("%d %d %d", $pid == pid, $uid == uid, ppid == $ppid); exit(0); }'
is "$out" '1 1 1' 'macros and built-in variables agree'
run env DTR_OPT_QUIET=1 "$DTR" -n 'BEGIN { printf("z"); exit(0); }'
is "$out:$err" 'z:' 'DTR_OPT_QUIET'

# Targets.
run "$DTR" -qn 'BEGIN { printf("%d", $target > 1); } END { printf(" end"); }' -c 'sleep 0.2'
is "$status:$out" '0:1 end' '-c runs a command and ends with it'
run "$DTR" -qn 'profile-997 /pid == $target/ { @ = count(); } END { printa("%@d", @); }' \
	-c "timeout 0.5 sh -c 'while :; do :; done'"
is "$status" 0 '-c with quoted words'
run "$DTR" -n 'BEGIN' -c '/nonexistent/command'
is "$status" 1 '-c of a missing command is an error'
like "$err" 'nonexistent' 'the error names the missing command'
# the command does not outlive tracing, even if dtr is killed
ended() { case $(cut -d ' ' -f 3 "/proc/$1/stat" 2>&1) in Z | *o\ such*) ;; *) false ;; esac; }
gone() { # PID: waits until the process has ended
	[ -n "$1" ] || return 1
	wait_until ended "$1"
	ended "$1"
}
run "$DTR" -qn 'BEGIN { printf("%d", $target); } tick-100ms { exit(3); }' -c 'sleep 1000'
is "$status:$(gone "$out" && echo gone)" '3:gone' 'the command is killed if tracing ends first'
"$DTR" -qn 'tick-200ms { printf("%d\n", $target); }' -c 'sleep 1000' >"$work/pid" 2>"$work/err" &
pid=$!
until [ -s "$work/pid" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -KILL $pid
wait $pid 2>/dev/null
is "$(gone "$(head -n 1 "$work/pid")" && echo gone)" gone 'the command is killed if dtr is killed'
rm -f "$work/out"
until [ -s "$work/out" ]; do sleep 0.05; done &
target=$!
run "$DTR" -qn 'BEGIN { printf("begun "); } END { printf("%d", $target); }' -p $target
is "$status:$out" "0:begun $target" '-p ends with its process'
run "$DTR" -n 'BEGIN' -p 999999999
is "$status" 1 '-p of a missing process is an error'
"$DTR" -qn 'BEGIN { printf("go\n"); }' >"$work/threads" 2>"$work/threads.err" &
pid=$!
children="$children $pid"
wait_for go "$work/threads"
tid=$(ls "/proc/$pid/task" | grep -vx "$pid" | head -n 1)
for args in '-n BEGIN' 'record -o /dev/null' 'syscount'; do
	run "$DTR" $args -p "$tid"
	is "$status:$err" "1:dtr: failed to watch process $tid: it is a thread of process $pid" \
		"$args -p of a thread names its process"
done
kill -INT $pid
wait $pid 2>/dev/null

# If nothing is written, no new file remains, and an existing file is not changed.
echo old >"$work/old"
printf '#!/nonexistent/interpreter\n' >"$work/uninterpreted"
chmod +x "$work/uninterpreted"
for args in 'record -c nosuch' "record -c $work/uninterpreted" 'record -F 9x' 'record -p 999999999' \
	'-c nosuch -n BEGIN' '-n BEGIN{x' \
	'-x nosuch -n BEGIN' '-O folded -c nosuch -n BEGIN' '-s /nonexistent.d' 'syscount -c nosuch'; do
	run "$DTR" $args -o "$work/new"
	run "$DTR" $args -o "$work/old"
	is "$((status > 0)):$(ls "$work/new" 2>/dev/null):$(cat "$work/old")" 1::old \
		"no file is created or changed by: $args"
done
run "$DTR" -o "$work/new" -qn 'BEGIN { exit(1); }'
is "$status:$(cat "$work/new" 2>&1)" 1: 'a session without output creates its file'

# Signals: END runs, aggregations are printed.
for sig in INT TERM HUP; do
	rm -f "$work/out"	# it contains the "go" of the previous session
	"$DTR" -qn 'BEGIN { printf("go\n"); @a["key"] = count(); } END { printf("end\n"); }' >"$work/out" \
		2>"$work/err" &
	pid=$!
	children="$children $pid"
	wait_for go "$work/out"
	kill -$sig $pid
	wait $pid
	status=$?
	out=$(echo $(cat "$work/out"))
	err=$(cat "$work/err")
	is "$status:$out" '0:go end key 1' "SIG$sig: END runs, aggregations are printed"
done
start=$(date +%s)
# (if the machine stalls in the meantime, ticks are lost, which the ledger would report)
timeout 100 "$DTR" -x ledger=off -qn 'tick-5ms { printf("line\n"); }' 2>"$work/err" | head -n 1 >"$work/out"
is "$(cat "$work/out")" 'line' '| head -n 1 gets its line'
between $(($(date +%s) - start)) 0 99 '| head -n 1: dtr ends'
is "$(cat "$work/err")" '' '| head -n 1: dtr prints no message'

# Faults.
run "$DTR" -n 'BEGIN { x = 0; trace(1 / x); } BEGIN { exit(0); }'
is "$status" 0 'a fault does not stop the session'
like "$err" 'error on enabled probe ID 1 \(ID 1: dtrace:::BEGIN\): divide-by-zero in action #2' \
	'a division by zero is reported'
run "$DTR" -qn 'BEGIN { x = 0; i = 0; } tick-2ms { trace(1 / x); } tick-2ms /i++ == 9/ { exit(0); }'
is "$(printf '%s\n' "$err" | grep -c 'divide-by-zero in action #1 at line 1$')" 1 'a fault is reported once'
like "$err" 'divide-by-zero in action #1 at line 1: 9 more times$' 'and at the end how many more there were'
run "$DTR" -x faults=all -qn 'BEGIN { x = 0; i = 0; } tick-2ms { trace(1 / x); } tick-2ms /i++ == 9/ { exit(0); }'
is "$(printf '%s\n' "$err" | grep -c 'divide-by-zero in action #1 at line 1$')" 10 '-x faults=all'
run "$DTR" -qn 'BEGIN { trace(*(int *)0); } ERROR { printf("%d %d %d", arg1, arg4, arg5); exit(4); }'
is "$status:$out" '4:1 1 0' 'ERROR gets the fault in its arguments'
# More speculations of one slot than dtr reads in the meantime.
if with_bpf 'speculations of 15,000 calls'; then
	run "$DTR" -x ledger=off -qn 'syscall::read:entry /pid == $target/ { self->s = speculation(); @all = count(); }
		syscall::read:entry /pid == $target && self->s/ { @had = count(); }
		syscall::read:return /self->s/ { discard(self->s); self->s = 0; }
		END { printa("%@d %@d", @all, @had); }' \
		-c 'dd if=/dev/zero of=/dev/null bs=1 count=15000 status=none'
	is "${out% *}:$err" "${out#* }:" 'each call has the slot'
	between "${out% *}" 15000 15100 'all calls are counted'
fi
# The output of a firing is contiguous and in the order of its clauses; that of ERROR is at the position of the fault.
run "$DTR" -qn 'BEGIN { zero = 0; } tick-2ms { printf("a "); } tick-2ms { trace(1 / zero); } tick-2ms /1 / zero/ { }
	tick-2ms { printf("b\n"); } tick-2ms /n++ == 50/ { exit(0); } ERROR { printf("%d ", arg2); } ERROR {
	printf("x "); }'
is "$status:$(printf '%s\n' "$out" | sort -u)" '0:a 1 x 0 x b' 'the output of ERROR is between that of the clauses'

# One firing may create many keys at once, even in an interrupt.
run "$DTR" -x ledger=off -qn 'tick-10ms { @[1] = count(); @[2] = count(); @[3] = count(); @[4] = count();
	@[5] = count(); @[6] = count();
	@[7] = count(); @[8] = count(); a[1] = 1; a[2] = 1; a[3] = 1; a[4] = 1; a[5] = 1; a[6] = 1; a[7] = 1;
	a[8] = 1; exit(0); }'
is "$status:$(echo $out):$err" '0:1 1 2 1 3 1 4 1 5 1 6 1 7 1 8 1:' 'eight new keys and elements in one firing'
# (A delayed firing may run at the same time as the next one, on another CPU: i++ may yield a key twice.)
run "$DTR" -x ledger=off -qn 'tick-1000 { @[i++] = count(); @[i++] = count(); @[i++] = count(); @[i++] = count();
	@[i++] = count();
	@[i++] = count(); @[i++] = count(); @[i++] = count(); @[i++] = count(); @[i++] = count(); @n = sum(10); }
	tick-1000 /i >= 10000/ { exit(0); } END { printa("made %@d\n", @n); printa("%d %@d\n", @); }'
is "$status:$(printf '%s\n' "$out" | awk '$1 == "made" { made = $2; next } NF { n += $2; rows++ } END {
	print made - n, (rows >= 9900) }')" \
	"0:$(printf '%s\n' "$err" | awk '/ aggregation drop/ { n += $2 } END { print n + 0, 1 }')" \
	'10,000 keys, ten new ones in each firing'
is "$(printf '%s\n' "$err" | grep -v ' aggregation drop')" '' 'only aggregation drops are reported'
between "$(printf '%s\n' "$err" | awk '/ aggregation drop/ { n += $2 } END { print n + 0 }')" 0 100 \
	'hardly any keys are dropped for lack of memory in an interrupt'

# Two sessions at once; kill -9 leaves no programs or maps. The kernel frees them asynchronously.
"$DTR" -qn 'BEGIN { trace("on"); } profile-97 { @ = count(); }' >"$work/first" 2>&1 &
pid=$!
children="$children $pid"
wait_for on "$work/first"
holds $pid >"$work/held"
! with_bpf 'it has no programs' || like "$(still_held "$work/held")" '^program .*dtr_' \
	'a session has programs named dtr_*'
run "$DTR" -qn 'tick-100ms { printf("second"); exit(0); }'
is "$status:$out" '0:second' 'two sessions at once'
kill -9 $pid
wait $pid 2>/dev/null
wait_until nothing_held "$work/held"
is "$(still_held "$work/held")" '' 'no program or map remains after kill -9'
done_testing
