# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Facts about the session in the output: date, duration, host, program. For a recording: those of the recorded session.
. "$SRC/tests/lib/tap.sh"

# ---- help
for word in 'record -h' 'record --help' 'merge -h' 'merge --help' 'diff -h' 'diff --help' 'report -h' \
	'report --help' 'syscount -h' 'syscount --help'; do
	# shellcheck disable=SC2086
	run "$DTR" $word
	is "$status:$err" 0: "dtr $word writes to standard output"
	like "$out" "[Uu]sage: dtr ${word% *} " "dtr $word prints the usage"
done

need_kernel
load=$here/tests/record/load

member() { # NAME: prints the value of a member in JSON
	printf '%s\n' "$out" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" | sed 1q
}

# ---- a recording
before=$(date +%s%N)
run "$DTR" record -q -g -F 997 -o "$work/g.rec" -c "$load 300"
after=$(date +%s%N)
is "$status" 0 'a program is recorded'

run "$DTR" -r "$work/g.rec"
is "$status:$err" 0: '-r without a script describes the recording'
like "$out" '^Rate       profile-997, with stacks$' '-r without a script: what the recording contains'
is "$(printf '%s\n' "$out" | grep -c "^  dtr -r $work/g.rec -n '")" 2 \
	'-r without a script: two queries are suggested'
printf '%s\n' "$out" | sed -n "s|^  dtr|$DTR -q|p" >"$work/questions"
run sh -e "$work/questions"
like "$status:$out" '^0:' 'the suggested queries run'
like "$out" 'load`work_f' 'the suggested queries have results'
run "$DTR" -r /nowhere/x
is "$status:$err" '1:dtr: /nowhere/x: No such file or directory' 'a missing recording'
run "$DTR" record -q -F 997 -o "$work/n.rec" -c "$load 50"
run "$DTR" -r "$work/n.rec"
is "$status:$(printf '%s\n' "$out" | grep -c ustack)" 0:0 'a recording without stacks: no query for stacks is suggested'

run "$DTR" -O json -qr "$work/g.rec" -n 'BEGIN { trace(timestamp); trace(walltimestamp); exit(0); }'
out=$(printf '%s\n' "$out" | sed 's/"actions.*"args":\[\([0-9]*\)\].*"args":\[\([0-9]*\)\].*"args".*/"t":\1,"w":\2/')
wall=$(member walltime)
is "$(member time)" "$(printf '%s\n' "$out" | sed -n 's/.*"t":\([0-9]*\).*/\1/p')" \
	'JSON: time is the start of the recording'
is "$wall" "$(printf '%s\n' "$out" | sed -n 's/.*"w":\([0-9]*\).*/\1/p')" \
	'JSON: walltime is the wall-clock time of the start'
between "$wall" "$before" "$after" 'JSON: walltime agrees with the clock'

run "$DTR" -O html -qr "$work/g.rec" -n 'profile-997 { @[ustack()] = count(); }'
out=$(printf '%s\n' "$out" | grep '^<script id="data"')
is "$(member host)" "$(uname -n)" 'HTML: the host'
is "$(member subject)" "the command '$load 300'" 'HTML: the command'
is "$(member time)" "$((wall / 1000000))" 'HTML: the date'
between "$(member seconds)" 0.3 "$(((after - before) / 1000000000 + 1))" 'HTML: the duration'

profile() { # OPTION... : writes a pprof file; sets $out to its text
	rm -f "$work/pb.gz"
	run "$DTR" -O pprof -q -o "$work/pb.gz" "$@"
	"$here/tests/lib/profileshow" <"$work/pb.gz" >"$work/out"
	out=$(cat "$work/out")
}
line() { printf '%s\n' "$out" | sed -n "s/^$1 //p"; }
profile -r "$work/g.rec" -n 'profile-997 { @[ustack()] = count(); }'
is "$(line time)" "$wall" 'pprof: the date'
between "$(line duration)" 300000000 "$((after - before))" 'pprof: the duration'
is "$(line main)" load 'pprof: the first mapping is the main program'
profile -r "$work/g.rec" -n 'profile-997 { @[stack()] = count(); }'
is "$(line main)" load 'pprof: the program of -c even if it has no frames'
run "$DTR" record -qg -o "$work/a.rec" -c "sh -c '$load 200; :'"
profile -r "$work/a.rec" -n 'profile-997 /execname == "load"/ { @[ustack()] = count(); }'
is "$(line main)" load 'pprof: the child of the command with most samples'

# ---- live sessions in both engines
for engine in bpf user; do
	[ $engine = user ] || with_bpf 'the kernel'"'"'s engine' || continue
	before=$(date +%s%N)
	run "$DTR" -x engine=$engine -O json -qn 'BEGIN { exit(0); }'
	after=$(date +%s%N)
	between "$(member walltime)" "$before" "$after" "$engine: JSON: the date"
	between "$(member time)" 1 "$(awk '{ printf "%.0f", ($1 + 1) * 1e9 }' /proc/uptime)" "$engine: JSON: the time"
	profile -x engine=$engine -n 'profile-997 /pid == $target/ { @[ustack()] = count(); }' -c "$load 200"
	is "$(line main)" load "$engine: pprof: the command"
	between "$(line time)" "$after" "$(date +%s%N)" "$engine: pprof: the date"
	between "$(line duration)" 200000000 "$(($(date +%s%N) - after))" "$engine: pprof: the duration"
done
"$load" 100000 >/dev/null &
pid=$!
children="$children $pid"
profile -p $pid -n 'profile-997 /pid == $target/ { @[stack()] = count(); } tick-100ms { exit(0); }'
is "$(line main)" load 'pprof: the program of -p'
stop $pid

# ---- files of perf record
if command -v perf >/dev/null; then
	perf record -q -F 997 -g -k mono -o "$work/perf.data" "$load" 200 >/dev/null 2>&1
	run "$DTR" -O html -qr "$work/perf.data" -n 'profile-997 { @[ustack()] = count(); }'
	out=$(printf '%s\n' "$out" | grep '^<script id="data"')
	is "$(member host)" "$(uname -n)" 'perf.data: the host'
	like "$(member subject)" "perf record .* $load 200\$" 'perf.data: the command line of perf'
	between "$(member seconds)" 0.2 30 'perf.data: the duration'
	like "$(member time)" '^[0-9]+$' 'perf.data: the date'
	profile -r "$work/perf.data" -n 'profile-997 { @[ustack()] = count(); }'
	is "$(line main)" load 'perf.data: the main program'
else
	echo '# no perf: perf.data is not tested'
fi
done_testing
