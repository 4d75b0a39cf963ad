# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The tools: their command lines, and what each of them counts for a program whose events are known.
. "$SRC/tests/lib/tap.sh"
known_calls
known=$here/tests/kernel/known
tools=$(cd "$DTR_SHARE/tools" && ls *.d | sed 's/\.d$//')

# ---- command lines ----
run "$DTR" -l --tools
is "$status:$(printf '%s\n' "$out" | awk '{ print $1 }')" "0:$tools" '-l --tools lists all tools'
unlike "$out" '^[a-z]+ *$' '-l --tools has a summary of each tool'
for t in $tools; do
	run "$DTR" "$t" -h
	is "$status" 0 "$t -h ends with 0"
	like "$out" "^$t - " "$t -h prints the name"
	like "$out" "^usage: dtr $t" "$t -h prints the usage"
	is "$(printf '%s\n' "$out" | sed -n "s/^$t - //p")" "$("$DTR" -l --tools | sed -n "s/^$t  *//p")" \
		"$t -h prints the summary of -l --tools"
	between "$(wc -l <"$DTR_SHARE/tools/$t.d")" 10 200 "$t is a short script"
	like "$(cat "$SRC/docs/dtr-tools.8")" "^\\.Ss dtr $t( |$)" "$t is in the manual page"
done
run "$DTR" syscont
is "$status" 2 'an unknown tool is a usage error'
like "$err" "did you mean 'syscount'" 'the error names the most similar tool'
run "$DTR" reads.d
is "$status:$err" "2:dtr: unknown tool 'reads.d'; to run a script: dtr -s reads.d" 'a script instead of a tool'
run "$DTR" prisample
is "$status" 2 'a missing process is a usage error'
is "$err" "dtr prisample: PID or -c COMMAND is missing
usage: dtr prisample [-r RATE] {PID | -c COMMAND}" 'a missing process: the error has the usage'
run "$DTR" prisample -p 4194304
like "$status:$err" '^1:dtr: failed to watch process 4194304: No such process$' '-p names the process'
run "$DTR" prisample 1 2
like "$status:$err" "^2:dtr prisample: unexpected argument '2'" 'an argument too many is a usage error'
run "$DTR" hotuser -p $$ true
like "$status:$err" "^2:dtr hotuser: unexpected argument 'true'" 'a command after -p is a usage error'
run "$DTR" runqlat -k colour
like "$status:$err" '^2:dtr runqlat: .colour. is not one of all\|execname' 'an invalid word for -k is a usage error'
while read -r tool option value reason; do
	run "$DTR" "$tool" "$option" "$value"
	like "$status:$err" "^2:dtr $tool: invalid [a-z ]+ '$value': expected $reason" "$tool $option $value is refused"
done <<'EOV'
tcpconnect --port http a number from 1 to 65535
tcplife --port 65536 a number from 1 to 65535
filetop -r -1 a number from 1 to
biotop -r 0 a number from 1 to
pagefaults -n x a number from 1 to
lockstat -s 1x a number from 1 to
lockstat -D 0 a number from 1 to
lockstat -d 1ms a number of nanoseconds
killsnoop -s NONE a name such as TERM, or a number from 0 to 64
killsnoop -s 65 a name such as TERM, or a number from 0 to 64
EOV
for v in -5 soon 1ms '' 99999999999999999999; do
	run "$DTR" offcpu -m "$v" -c true
	like "$status:$err" "^2:dtr offcpu: invalid time '$v': expected a number of microseconds" "-m '$v' is refused"
done
if if_can '-m 1000 is accepted' types; then
	run "$DTR" offcpu -m 1000 -e
	is "$status:$err" 0: '-m 1000 is accepted'
fi
for o in -i -y --nosuch; do
	run "$DTR" syscount $o
	like "$status:$err" "^2:dtr syscount: (unknown )?option $o" "$o alone is refused"
done
for v in soon 0 -1s 2hz 1us '' 5parsecs 99999999999999999999s; do
	run "$DTR" syscount -i "$v" -e
	like "$status:$err" "^2:dtr syscount: invalid period '$v': " "the tool refuses the period '$v'"
done
for v in 0 -5 often 99999hz; do
	run "$DTR" prisample -r "$v" 1
	like "$status:$err" "^2:dtr prisample: invalid rate '$v': " "the tool refuses the rate '$v'"
done
for v in abc 0 -3 1x 99999999999; do
	run "$DTR" prisample -- "$v"
	like "$status:$err" "^2:dtr prisample: invalid process '$v': " "the tool refuses the process '$v'"
done
# A tool does not pass unknown options on to dtr, where -i and -r mean a probe ID and a recording.
for args in 'execs -i 1s' 'syscount -r 5' 'exact -P x' 'offcpu -f x' 'runqlat -D x' 'syscount -F' 'execs -C' \
	'runqlat -G' 'prisample -X t'; do
	# shellcheck disable=SC2086
	set -- $args
	run "$DTR" "$@"
	is "$status:$out:$err" "2::dtr $1: unknown option $2 (see dtr $1 -h)" "dtr $args is refused"
done
# A number without a unit is in seconds, as the enabled probe shows.
for v in 2=tick-2s 10=tick-10s 500ms=tick-500ms 1h=tick-1h; do
	run "$DTR" syscount -i "${v%=*}" -l
	like "$out" "^ +[0-9]+ +profile +${v#*=}\$" "-i ${v%=*} is ${v#*=}"
done
run "$DTR" syscount -x nosuch
like "$status:$err" "^2:.*unknown option 'nosuch'" "dtr's own options are checked"
run sh -c '"$0" syscount -h >/dev/full' "$DTR"
is "$status:$err" '1:dtr: failed to write output: No space left on device' '-h to a full disk ends with 1'
run "$DTR" -e -n 'BEGIN { trace($$1); }' syscount
is "$status" 0 'after an option, the name of a tool is an ordinary argument'

need_kernel
need_room
# ---- prisample ----
nice= want=$((19 - $(awk '{ print $19 }' /proc/self/stat)))	# 19 minus the nice value of this test
[ $want -lt 5 ] || ! command -v nice >/dev/null || { nice='nice -n 5' want=$((want - 5)); }
run "$DTR" prisample -r 997 -c "$nice $here/tests/kernel/busy split 400 0"
set -- $(printf '%s\n' "$out" | awk '$1 == "NAME" { by = $2; heads++ } $1 == "busy" { n[by] += $3;
	if (by == "PRIORITY") v = v " " $2 }
	NF && $3 == 0 { empty++ } END { print n["PRIORITY"], n["CPU"], v, heads, empty + 0 }')
# at most one sample per ms of run time, plus a tenth for time that the clock of the program does not count
between "$1" 20 "$(printf '%s\n' "$out" | awk '$1 == "ran" { print $2 * 1.1 + 6 }')" \
	'prisample samples a process while it runs'
is "$1" "$2" 'prisample has as many samples by CPU as by priority'
is "$3:$#" $want:5 'prisample shows the priority for the nice value'
is "$4:$5" 2:0 'prisample prints two tables without empty rows'

if_can 'syscount, execs, runqlat, offcpu' types || done_testing

# ---- syscount ----
calls() { printf '%s\n' "$1" | awk -v c="$2" '$2 == "known" && $3 == c { n += $4 } END { print n + 0 }'; }
run "$DTR" syscount -c "$known"
is "$status:$err" 0: 'syscount ends with its command'
is "$(calls "$out" getppid):$(calls "$out" sched_yield)" 1000:30 'syscount counts calls'
like "$out" '^ *[0-9]+ known +getppid +1000 +[0-9]+ +[0-9]+$' 'syscount shows their times'
is "$(printf '%s\n' "$out" | awk '$5 < $6 || $6 * $4 < $5 - $4 { print }' | grep -v PID)" '' \
	'longest <= total <= longest * calls'
between "$(printf '%s\n' "$out" | awk '$2 == "known-nap" && $3 ~ /nanosleep/ { print $5 }')" 20000 100000000 \
	'the times of syscount include waiting'
run "$DTR" syscount --failed -c "$known"
is "$(calls "$out" getppid):$(calls "$out" close)" 0:20 'syscount --failed counts only failed calls'
run "$DTR" -q -s "$DTR_SHARE/tools/syscount.d" -c "$known"
is "$(calls "$out" getppid)" 1000 'syscount.d run with -s'
run "$DTR" syscount -o "$work/file" -O json -c "$known"
"$here/tests/lib/jsonlines" <"$work/file" >"$work/lines" 2>&1
ok $? '-O json writes JSON' "$(head -n 3 "$work/lines")"
like "$(cat "$work/file")" '"getppid"' '-O json -o writes to the file'
mkfifo "$work/go"
sh -c 'read x <"$0"; i=0; while [ $i -lt 50 ]; do kill -0 $$; i=$((i+1)); done' "$work/go" &
traced=$!
children="$children $traced"
"$DTR" syscount -p $traced -n 'BEGIN { printf("begun\n"); }' >"$work/out" 2>"$work/err" &
tracer=$!
children="$children $tracer"
wait_for begun "$work/out"
echo >"$work/go"
wait $tracer
is "$(awk '$3 == "kill" { print $4 }' "$work/out")" 50 'syscount -p of a running process'
is "$(awk -v p=$traced '$1 ~ /^[0-9]+$/ && $1 != p' "$work/out")" '' 'syscount -p counts no other process'
# The command runs until three tables are printed: one per period and one at the end.
rm -f "$work/out"
from=$(date +%s%N)
run "$DTR" syscount -i 200ms -c "sh -c 'sleep 0.1; until [ \$(grep -c CALL $work/out) -ge 3 ]; do true; done'"
between "$(printf '%s\n' "$out" | grep -c CALL)" 3 $((($(date +%s%N) - from) / 200000000 + 2)) \
	'syscount -i prints a table per period'
is "$(printf '%s\n' "$out" | grep -c 'clock_nanosleep  *1 ')" 1 'syscount -i counts a call in only one table'

# ---- execs ----
run "$DTR" execs -c "$known"
is "$(printf '%s\n' "$out" | grep -c ' - .*/known leaf$')" 4 'execs lists executed programs'
! if_can 'execs and the command itself' holds_commands ||
	is "$(printf '%s\n' "$out" | wc -l | tr -d ' ')" $((5 + $("$known" | wc -l))) \
	'execs prints a header and one line per program'
cat >"$work/odd" <<'EOF'
#!/bin/sh
/bin/true 'two
lines' "$(printf '\033[2J')"
"/nonexistent/a
b"
EOF
chmod 755 "$work/odd"
run "$DTR" execs --failed -o "$work/out" -c "$work/odd"
is "$(sed -n 's|.* \(/bin/true .*\)|\1|p; s|.* 2 \(/nonexist\)|\1|p' "$work/out")" '/bin/true two\nlines \033[2J
/nonexistent/a\nb' 'execs prints one line whatever the arguments contain'
run "$DTR" execs --failed -c "$known"
is "$(printf '%s\n' "$out" | grep -c '  *2 /nonexistent/program$')" 4 \
	'execs --failed lists programs that could not be executed'
is "$(printf '%s\n' "$out" | grep -c ' - .*/known leaf$')" 4 'execs --failed lists the others, too'

# ---- runqlat: one wait each time a thread comes onto a CPU ----
# After a thread of the machine that cannot be traced, the switch onto the CPU is not seen (tests/kernel/known.d). Such
# a switch is counted when the thread wakes up in its call or leaves the CPU.
unseen='uint64_t came[int];
	self int slept;
	syscall::*nanosleep:entry /progenyof($target) && execname == "known-nap"/ { self->slept = 0; self->nap = 1;
	came[cpu] = (uint64_t)curthread; }
	syscall::*nanosleep:return /self->slept && came[cpu] != (uint64_t)curthread/ { @unseen = count();
	@stretches = count(); }
	syscall::*nanosleep:return /self->nap/ { self->nap = 0; self->slept = 0; came[cpu] = (uint64_t)curthread; }
	sdt:::sched_switch /self->slept && came[cpu] != arg1/ { self->slept = 0; @unseen = count(); }
	sdt:::sched_switch /self->nap && !arg0 && arg3/ { self->slept = 1; }
	sdt:::sched_switch /came[cpu] && came[cpu] != arg1/ { @stretches = count(); }
	sdt:::sched_switch { came[cpu] = arg2; }
	sched:::on-cpu /self->slept/ { self->slept = 0; }
	END { printa("unseen %@d\n", @unseen); printa("stretches %@d\n", @stretches); }'
naps() { printf '%s\n' "$out" | sed -n 's/^naps //p'; } # according to the program
unseen() { printf '%s\n' "$out" | awk '$1 == "unseen" { n = $2 } END { print n + 0 }'; }
# intervals without tracing; one that has not ended on a CPU is not in the output
stretches() { printf '%s\n' "$out" | awk -v n="$(nproc)" '$1 == "stretches" { n += $2 } END { print n }'; }
run "$DTR" runqlat -k execname -n "$unseen" -n 'sched:::on-cpu /progenyof($target) && execname == "known-nap"/ {
	@on = count(); } END { printa("on %@d\n", @on); }' -c "$known"
waits() { printf '%s\n' "$1" | awk -v k="$2" '/^ *-* *[a-z-]+ *$/ { on = $1 == k } on && /\|/ { n += $NF } END {
	print n + 0 }'; }
came=$(printf '%s\n' "$out" | awk '$1 == "on" { print $2 }')
# except if the thread was woken in such an interval
between "$(waits "$out" known-nap)" $((came - $(stretches))) "$came" \
	'runqlat counts a wait each time a thread comes onto a CPU'
between "$((came + $(unseen)))" "$(naps)" 100000 'runqlat counts at least as many waits as sleeps'
run "$DTR" runqlat -c "$known"
is "$(printf '%s\n' "$out" | grep -c Distribution)" 1 'runqlat prints one histogram for all threads'
like "$out" '^time that threads waited for a CPU, in nanoseconds$' 'runqlat names the unit'

# ---- offcpu: a thread that sleeps twenty times ----
run "$DTR" offcpu --asleep -n "$unseen" -c "$known"
naps=$(printf '%s\n' "$out" | awk '/ known-nap$/ { on = 1; nap = 0 } on && /nanosleep/ { nap = 1 } on && / us, / {
	if (nap) n += $3; on = 0 }
	END { print n }')
is "$((naps + $(unseen)))" "$(naps)" 'offcpu counts the sleeps of a thread'
between "$(printf '%s\n' "$out" | awk '/ known-nap$/ { on = 1; nap = 0 } on && /nanosleep/ { nap = 1 } on && / us, / {
	if (nap) n += $1; on = 0 }
	END { print n }')" "$((naps * 1000))" 100000000 'offcpu adds up their times'
run "$DTR" offcpu --asleep -m 290000 -c "sh -c 'sleep 0.3; sleep 0.01; sleep 0.01'"
# (on a machine that stalls, a short sleep may take long, too)
is "$(printf '%s\n' "$out" | awk '/ sleep$/ { on = 1 } on && / us, / { n += $3; short += $1 < $3 * 290000; on = 0 }
	END { print (n >= 1 && n <= 3), short + 0 }')" \
	'1 0' 'offcpu -m shows only long sleeps'
done_testing
