# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -O json on this kernel: each line is an object that a strict parser accepts, whatever happens.
. "$SRC/tests/lib/tap.sh"

valid() { # NAME: checks the output of the last run
	printf '%s\n' "$out" | "$here/tests/lib/jsonlines" >"$work/why"
	ok $? "$1" "$(cat "$work/why")"
}
count() { printf '%s\n' "$out" | grep -c "$1"; } # REGEX: the number of matching lines

run "$DTR" -O xml -n 'BEGIN { exit(0); }'
is "$status:$err" \
	"2:dtr: invalid value 'xml' for option 'oformat': expected text, json, folded, pprof, speedscope, html, "\
"tables, lcov, callgrind, annotated, gmon, profil or openmetrics" \
	'an unknown format is refused with a list of the formats'
run "$DTR" -O
is "$status" 2 '-O needs a format'
run "$DTR" -O json -l
valid 'the list of probes'
like "$out" '^\{"type":"probe","id":1,"provider":"dtrace","module":"","function":"","name":"BEGIN"\}$' 'a probe'
is "$(count '"type":"probe"')" "$("$DTR" -l | grep -vc PROVIDER)" 'as many probes as in text'
run "$DTR" -O json -lv -n tick-1s
valid 'the list of probes with their arguments'
run "$DTR" -O json -lv -n sched:::off-cpu
like "$out" '"name":"off-cpu","args":\["lwpsinfo_t \*","psinfo_t \*"\]' 'the types of args[]'
run "$DTR" -O json -l -n nosuch
valid 'the list with an unknown probe'
is "$status:$(count '"type":"message"')" 1:1 'an unknown probe is reported'
for stage in P T I O B; do
	run "$DTR" -O json -d $stage -n 'BEGIN { printf("%s\n", execname); exit(0); }'
	valid "-d $stage"
done
run "$DTR" -O json -ev -n 'BEGIN { exit(0); }'
valid '-v'
run "$DTR" -O json -n 'BEGIN { trace(x); trace(y)'
valid 'a script that does not compile'
like "$out" '^\{"type":"error","tag":"D_SYNTAX","line":1,' 'a compile error has its tag and line'
is "$(printf '%s\n' "$out" | tail -n 1)" '{"type":"end","status":1}' 'the last line is an end object'
like "$err" '^dtr: invalid probe specifier' 'the error is also on standard error'

need_kernel
spin_on 0	# an idle CPU may not be sampled, and without privilege only this user's processes are
run "$DTR" -O json -x ledger=cpu -x cost -qn 'BEGIN { printf("%d \"%s\"\n", 1, "a"); } profile-997 {
	@[cpu, execname] = count();
	@q[cpu] = quantize(arg2); } tick-100ms { printa(@); clear(@); } tick-500ms { exit(5); }'
valid 'records, rows, the ledger, costs'
is "$status" 5 'the exit status is that of exit()'
is "$(printf '%s\n' "$out" | tail -n 1)" '{"type":"end","status":5}' 'the end object has the exit status'
is "$(printf '%s\n' "$out" | grep -v '^{"type":"warning"' | head -n 1 | cut -c 1-41)" \
	"$(printf '{"type":"begin","schema":1,"engine":"%s"' \
	"${DTR_OPT_ENGINE:-bpf}" | cut -c 1-41)" 'the begin object'
like "$out" '"text":"1 \\"a\\"\\n","args":\[1,"a"\]' 'printf: text and values'
like "$out" \
	'"type":"row","time":[0-9]+,"epid":[0-9]+,"keys":\[[0-9]+,"[^"]*"\],"values":\[\{"aggregation":"_","function":'\
'"count","value":[0-9]+' 'rows of printa()'
like "$out" '"keys":\[[0-9]+\],"values":\[\{"aggregation":"q","function":"quantize","buckets":\[\{"min":' 'a histogram'
like "$out" '^\{"type":"ledger","probe":"profile-997","cpu":null,.*"expected":[0-9]+,"delivered":[0-9]+,"lost":\{' \
	'the ledger'
if with_bpf 'threads are sampled, not CPUs; there are no programs with costs'; then
	like "$out" '^\{"type":"ledger","probe":"profile-997","cpu":0,' 'the ledger by CPU'
	like "$out" '^\{"type":"cost","probe":"profile-997","firings":[0-9]+,"ns":[0-9]+,' 'the costs'
fi

# The name of a process may contain any bytes except NUL.
cat >"$work/odd.sh" <<'E2'
printf 'a"\\\377\303\244\n\033' >/proc/$$/comm
while :; do :; done
E2
sh "$work/odd.sh" &
odd=$!
children="$children $odd"
named() { [ "$(head -c 2 "/proc/$odd/comm")" = 'a"' ]; }
wait_until named
run "$DTR" -O json -qn 'profile-997 /pid == $1/ { @[execname] = count(); printf("%s\n", execname); n++; }
	profile-997 /n >= 20/ { exit(0); }' $odd
kill -9 $odd
valid 'a process name with control characters and invalid UTF-8'
like "$out" '"args":\["a\\"\\\\\\u00ffä\\n\\u001b"\]' 'such a process name is escaped'

run "$DTR" -O json -qn 'profile-997 { stack(); ustack(); func(arg0); @[stack(), ustack()] = count(); n++; }
	profile-997 /n >= 200/ { exit(0); }'
valid 'stacks'
like "$out" '"frames":\[\{"address":"0x[0-9a-f]+","symbol":"' 'frames have addresses and symbols'
run "$DTR" -O json -x aggsize=4k -x dynvarsize=4k -qn 'tick-1ms { @[i++] = count(); @n = count(); a[i] = 1; }
	tick-1ms /i >= 1000/ { exit(0); }'
valid 'more keys than fit'
# (a delayed firing may run at the same time as the next one, on another CPU: i++ may yield a key twice)
rows=$(printf '%s\n' "$out" | sed -n 's/.*"aggregation":"_","function":"count","value":\([0-9]*\).*/\1/p' |
	awk '{ n += $1 } END { print n + 0 }')
all=$(printf '%s\n' "$out" | sed -n 's/.*"aggregation":"n","function":"count","value":\([0-9]*\).*/\1/p')
drops=$(printf '%s\n' "$out" |
	sed -n 's/^{"type":"drop","kind":"DTRACEDROP_AGGREGATION","cpu":[0-9]*,"count":\([0-9]*\)}$/\1/p' |
	awk '{ n += $1 } END { print n + 0 }')
is "$((drops > 0))" 1 'drops are counted by CPU'
same "$((rows + drops))" "$all" 'rows and drops add up to all firings'
like "$out" '^\{"type":"drop","kind":"DTRACEDROP_DYNAMIC","cpu":null,"count":[0-9]+\}$' \
	'dynamic drops are counted for all CPUs together'
run "$DTR" -O json -qn 'tick-10ms { trace(*(int *)8); } tick-10ms /n++ > 3/ { exit(0); }'
valid 'faults'
like "$out" '^\{"type":"fault",.*"action":1,"fault":"invalid address","value":"0x8","line":1\}$' \
	'a fault has its address'
run "$DTR" -O json -wqn 'BEGIN { system("echo %d words", 2); trace(1); exit(0); }'
valid 'system() does not write to the JSON output'
is "$err" '2 words' 'system() writes to standard error'
like "$out" '"action":"system","text":"echo 2 words","args":\[2\]' 'the record contains the command'
rm -f "$work/o"
run "$DTR" -O json -qo "$work/o" -n 'BEGIN { trace(1); exit(0); }'
is "$out" '' '-o: nothing on standard output'
out=$(cat "$work/o")
valid 'the file of -o'
is "$(count '"args":\[1\]')" 1 'the file of -o has the record'
rm -f "$work/o"
"$DTR" -O json -qn 'tick-1ms { trace(1); }' >"$work/o" 2>"$work/err" &
pid=$!
children="$children $pid"
wait_for args "$work/o"
kill -INT $pid
wait $pid
is $? 0 'SIGINT ends the session with status 0'
out=$(cat "$work/o")
valid 'the output after SIGINT is complete'
like "$(tail -n 1 "$work/o")" '"type":"end","status":0' 'the output after SIGINT has an end object'
run "$DTR" -x oformat=json -qn 'BEGIN { trace(1); exit(0); }'
valid '-x oformat=json'
run "$DTR" -qn '#pragma D option oformat=json
	BEGIN { trace(1); exit(0); }'
valid '#pragma D option oformat=json'
run "$DTR" -O text -qn 'BEGIN { trace(1); exit(0); }'
is "$out" 1 '-O text'
run "$DTR" -O json -qn 'union { unsigned long bits; double d; } u; BEGIN { u.bits = 0x3fb999999999999a;
	@[u.d] = count(); u.bits = 0x7ff0000000000000; @[u.d] = count(); exit(0); }'
is "$(printf '%s\n' "$out" | grep -Ec '"keys":\[0\.10000000000000001\]|"keys":\[\{"bytes":"000000000000f07f"\}\]')" 2 \
	'a floating-point key is a number, or bytes if JSON cannot represent it'
done_testing
