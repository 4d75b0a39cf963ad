# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The tools: their front, and what each of them counts of a program whose events are known.
. "$SRC/tests/lib/tap.sh"
known=$here/tests/kernel/known
tools=$(cd "$DTR_SHARE/tools" && ls *.d | sed 's/\.d$//')

# ---- the front ----
run "$DTR" -l --tools
is "$status:$(printf '%s\n' "$out" | awk '{ print $1 }')" "0:$tools" '-l --tools lists all'
unlike "$out" '^[a-z]+ *$' 'each with what it shows'
for t in $tools; do
	run "$DTR" "$t" -h
	is "$status" 0 "$t -h explains"
	like "$out" "^$t - " 'under its name'
	like "$out" "^usage: dtr $t" 'with its usage'
	is "$(printf '%s\n' "$out" | sed -n "s/^$t - //p")" "$("$DTR" -l --tools | sed -n "s/^$t  *//p")" \
		'the summary is the one of the list'
	between "$(wc -l <"$DTR_SHARE/tools/$t.d")" 10 90 'it is short'
	like "$(cat "$SRC/docs/dtr-tools.8")" "^\\.Ss dtr $t( |$)" 'the manual page has it'
done
run "$DTR" syscont
is "$status" 2 'an unknown tool is a usage error'
like "$err" "did you mean 'syscount'" 'the nearest one is named'
run "$DTR" prisample
is "$status" 2 'a process has to be named'
is "$err" "dtr prisample: PID or -c COMMAND is missing
usage: dtr prisample [-r RATE] {PID | -c COMMAND}" 'it says so, and how'
run "$DTR" prisample -p 4194304
like "$status:$err" '^1:dtr: failed to watch process 4194304: No such process$' '-p does'
run "$DTR" prisample 1 2
like "$status:$err" "^2:dtr prisample: unexpected argument '2'" 'no argument too many'
run "$DTR" runqlat -k colour
like "$status:$err" '^2:dtr runqlat: .colour. is not one of all\|execname' 'a word that is not one of them'
for v in -5 soon 1ms '' 99999999999999999999; do
	run "$DTR" offcpu -m "$v" -c true
	like "$status:$err" "^2:dtr offcpu: invalid time '$v': expected a number of microseconds" "-m '$v' is refused"
done
run "$DTR" offcpu -m 1000 -e
is "$status:$err" 0: '-m 1000 is not'
for o in -i -y --nosuch; do
	run "$DTR" syscount $o
	like "$status:$err" "^2:dtr syscount: (unknown )?option $o" "$o alone is refused"
done
for v in soon 0 -1s 2hz 1us '' 5parsecs 99999999999999999999s; do
	run "$DTR" syscount -i "$v" -e
	like "$status:$err" "^2:dtr syscount: invalid period '$v': " "the period '$v' is refused, by the tool"
done
for v in 0 -5 often 99999hz; do
	run "$DTR" prisample -r "$v" 1
	like "$status:$err" "^2:dtr prisample: invalid rate '$v': " "the rate '$v', too"
done
for v in abc 0 -3 1x 99999999999; do
	run "$DTR" prisample -- "$v"
	like "$status:$err" "^2:dtr prisample: invalid process '$v': " "the process '$v', too"
done
# What a tool does not know it does not hand on: -i and -r are a probe's number, a recording elsewhere.
for args in 'execs -i 1s' 'syscount -r 5' 'exact -P x' 'offcpu -f x' 'runqlat -D x' 'syscount -F' 'execs -C' \
	'runqlat -G' 'prisample -X t'; do
	# shellcheck disable=SC2086
	set -- $args
	run "$DTR" "$@"
	is "$status:$out:$err" "2::dtr $1: unknown option $2 (see dtr $1 -h)" "dtr $args is refused"
done
# A number alone is seconds: what the script gets is seen in the probe that it enables.
for v in 2=tick-2s 10=tick-10s 500ms=tick-500ms 1h=tick-1h; do
	run "$DTR" syscount -i "${v%=*}" -l
	like "$out" "^ +[0-9]+ +profile +${v#*=}\$" "-i ${v%=*} is ${v#*=}"
done
run "$DTR" syscount -x nosuch
like "$status:$err" "^2:.*unknown option 'nosuch'" "dtr's own options are seen"
run sh -c '"$0" syscount -h >/dev/full' "$DTR"
is "$status:$err" '1:dtr: failed to write output: No space left on device' '-h to a full disk ends with 1'
run "$DTR" -e -n 'BEGIN { trace($$1); }' syscount
is "$status" 0 'behind an option a name is an argument like any other'

need_kernel
# ---- syscount ----
calls() { printf '%s\n' "$1" | awk -v c="$2" '$2 == "known" && $3 == c { n += $4 } END { print n + 0 }'; }
run "$DTR" syscount -c "$known"
is "$status:$err" 0: 'syscount ends with its command'
is "$(calls "$out" getppid):$(calls "$out" sched_yield)" 1000:30 'it counts calls'
like "$out" '^ *[0-9]+ known +getppid +1000 +[0-9]+ +[0-9]+$' 'with their times'
is "$(printf '%s\n' "$out" | awk '$5 < $6 || $6 * $4 < $5 - $4 { print }' | grep -v PID)" '' \
	'the longest is no longer than all, all no more than that many of it'
between "$(printf '%s\n' "$out" | awk '$2 == "known-nap" && $3 ~ /nanosleep/ { print $5 }')" 20000 100000000 \
	'waiting is in it'
run "$DTR" syscount --failed -c "$known"
is "$(calls "$out" getppid):$(calls "$out" close)" 0:20 'only those that fail'
run "$DTR" -q -s "$DTR_SHARE/tools/syscount.d" -c "$known"
is "$(calls "$out" getppid)" 1000 'as a plain script'
run "$DTR" syscount -o "$work/file" -O json -c "$known"
"$here/tests/lib/jsonlines" <"$work/file" >"$work/lines" 2>&1
ok $? '-O json writes JSON' "$(head -n 3 "$work/lines")"
like "$(cat "$work/file")" '"getppid"' 'into the file of -o'
mkfifo "$work/go"
sh -c 'read x <"$0"; i=0; while [ $i -lt 50 ]; do kill -0 $$; i=$((i+1)); done' "$work/go" &
traced=$!
children="$children $traced"
"$DTR" syscount -p $traced -n 'BEGIN { printf("begun\n"); }' >"$work/out" 2>"$work/err" &
tracer=$!
children="$children $tracer"
wait_for begun "$work/out"
sleep 0.2
echo >"$work/go"
wait $tracer
is "$(awk '$3 == "kill" { print $4 }' "$work/out")" 50 'a process that runs already'
is "$(awk -v p=$traced '$1 ~ /^[0-9]+$/ && $1 != p' "$work/out")" '' 'and nobody else'
# Until there are three; a table is printed once a period and at the end.
rm -f "$work/out"
from=$(date +%s%N)
run "$DTR" syscount -i 200ms -c "sh -c 'sleep 0.1; until [ \$(grep -c CALL $work/out) -ge 3 ]; do true; done'"
between "$(printf '%s\n' "$out" | grep -c CALL)" 3 $((($(date +%s%N) - from) / 200000000 + 2)) 'each period has a table'
is "$(printf '%s\n' "$out" | grep -c 'clock_nanosleep  *1 ')" 1 'a call is in one of them'

# ---- execs ----
run "$DTR" execs -c "$known"
is "$(printf '%s\n' "$out" | grep -c ' - .*/known leaf$')" 4 'execs: programs that begin'
is "$(printf '%s\n' "$out" | wc -l | tr -d ' ')" $((5 + $("$known" | wc -l))) \
	'one line each, a head, and what the command prints'
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
/nonexistent/a\nb' 'one line, whatever the arguments are'
run "$DTR" execs --failed -c "$known"
is "$(printf '%s\n' "$out" | grep -c '  *2 /nonexistent/program$')" 4 'and those that do not'
is "$(printf '%s\n' "$out" | grep -c ' - .*/known leaf$')" 4 'beside the others'

# ---- runqlat: as many waits as there are threads that come onto a CPU ----
# Behind a thread of the machine's own that cannot be traced nobody is seen to come (tests/kernel/known.d): a thread
# whose coming was not seen is noted when it wakes up in its call or leaves.
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
naps() { printf '%s\n' "$out" | sed -n 's/^naps //p'; } # as the program says
unseen() { printf '%s\n' "$out" | awk '$1 == "unseen" { n = $2 } END { print n + 0 }'; }
# one that has not ended on a CPU is not known of
stretches() { printf '%s\n' "$out" | awk -v n="$(nproc)" '$1 == "stretches" { n += $2 } END { print n }'; }
run "$DTR" runqlat -k execname -n "$unseen" -n 'sched:::on-cpu /progenyof($target) && execname == "known-nap"/ {
	@on = count(); } END { printa("on %@d\n", @on); }' -c "$known"
waits() { printf '%s\n' "$1" | awk -v k="$2" '/^ *-* *[a-z-]+ *$/ { on = $1 == k } on && /\|/ { n += $NF } END {
	print n + 0 }'; }
came=$(printf '%s\n' "$out" | awk '$1 == "on" { print $2 }')
# but if it was woken in such a stretch
between "$(waits "$out" known-nap)" $((came - $(stretches))) "$came" \
	'runqlat: each time that a thread comes onto a CPU it has waited'
between "$((came + $(unseen)))" "$(naps)" 100000 'as often as it sleeps, at least'
run "$DTR" runqlat -c "$known"
is "$(printf '%s\n' "$out" | grep -c Distribution)" 1 'all threads are one histogram'
like "$out" '^time that threads waited for a CPU, in nanoseconds$' 'of nanoseconds, as it says'

# ---- offcpu: a thread that sleeps twenty times ----
run "$DTR" offcpu --asleep -n "$unseen" -c "$known"
naps=$(printf '%s\n' "$out" | awk '/ known-nap$/ { on = 1; nap = 0 } on && /nanosleep/ { nap = 1 } on && / us, / {
	if (nap) n += $3; on = 0 }
	END { print n }')
is "$((naps + $(unseen)))" "$(naps)" 'offcpu: how often it sleeps'
between "$(printf '%s\n' "$out" | awk '/ known-nap$/ { on = 1; nap = 0 } on && /nanosleep/ { nap = 1 } on && / us, / {
	if (nap) n += $1; on = 0 }
	END { print n }')" "$((naps * 1000))" 100000000 'and how long'
run "$DTR" offcpu --asleep -m 290000 -c "sh -c 'sleep 0.3; sleep 0.01; sleep 0.01'"
# (a short one may take long, too: on a machine that stands still)
is "$(printf '%s\n' "$out" | awk '/ sleep$/ { on = 1 } on && / us, / { n += $3; short += $1 < $3 * 290000; on = 0 }
	END { print (n >= 1 && n <= 3), short + 0 }')" \
	'1 0' 'only long ones'

# ---- prisample ----
nice= want=$((19 - $(awk '{ print $19 }' /proc/self/stat)))	# 19 less the nice value of whoever runs this test
[ $want -lt 5 ] || ! command -v nice >/dev/null || { nice='nice -n 5' want=$((want - 5)); }
run "$DTR" prisample -r 997 -c "$nice $here/tests/kernel/busy split 400 0"
set -- $(printf '%s\n' "$out" | awk '$1 == "NAME" { by = $2; heads++ } $1 == "busy" { n[by] += $3;
	if (by == "PRIORITY") v = v " " $2 }
	NF && $3 == 0 { empty++ } END { print n["PRIORITY"], n["CPU"], v, heads, empty + 0 }')
# no more often than it has run; a tenth for what its own clock does not count
between "$1" 20 "$(printf '%s\n' "$out" | awk '$1 == "ran" { print $2 * 1.1 + 6 }')" \
	'prisample: a process is seen while it runs'
is "$1" "$2" 'as often by CPU as by priority'
is "$3:$#" $want:5 'at the priority that its nice value gives'
is "$4:$5" 2:0 'two tables, no row of nothing'
done_testing
