# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What output says about its run: when it was, for how long, where, of what program. A recording says what was recorded.
. "$SRC/tests/lib/tap.sh"

# ---- help
for word in 'record -h' 'record --help' 'merge -h' 'merge --help' 'diff -h' 'diff --help' 'syscount -h' \
	'syscount --help'; do
	# shellcheck disable=SC2086
	run "$DTR" $word
	is "$status:$err" 0: "dtr $word answers on standard output"
	like "$out" "[Uu]sage: dtr ${word% *} " 'with how to use it'
done

need_kernel
load=$here/tests/record/load

member() { # NAME: its value in a line of JSON
	printf '%s\n' "$out" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" | sed 1q
}

# ---- a recording
before=$(date +%s%N)
run "$DTR" record -q -g -F 997 -o "$work/g.rec" -c "$load 300"
after=$(date +%s%N)
is "$status" 0 'a program is recorded'

run "$DTR" -r "$work/g.rec"
is "$status:$out" 2: '-r without a script is a usage error'
is "$(printf '%s\n' "$err" | sed 1q)" \
	"dtr: -r needs a script (-n, -s). $work/g.rec has samples of profile-997 with stacks:" \
	'that says what the recording has'
is "$(printf '%s\n' "$err" | grep -c "^  dtr -r $work/g.rec -n '")" 2 'and what to ask'
printf '%s\n' "$err" | sed -n "s|^  dtr|$DTR -q|p" >"$work/questions"
run sh -e "$work/questions"
like "$status:$out" '^0:' 'these questions'
like "$out" 'load`work_f' 'have answers'
run "$DTR" -r /nowhere/x
is "$status:$err" '2:dtr: /nowhere/x: No such file or directory' 'a file that is not there'
run "$DTR" record -q -F 997 -o "$work/n.rec" -c "$load 50"
run "$DTR" -r "$work/n.rec"
is "$status:$(printf '%s\n' "$err" | grep -c ustack)" 2:0 'no stacks: no question about stacks'

run "$DTR" -O json -qr "$work/g.rec" -n 'BEGIN { trace(timestamp); trace(walltimestamp); exit(0); }'
out=$(printf '%s\n' "$out" | sed 's/"actions.*"args":\[\([0-9]*\)\].*"args":\[\([0-9]*\)\].*"args".*/"t":\1,"w":\2/')
wall=$(member walltime)
is "$(member time)" "$(printf '%s\n' "$out" | sed -n 's/.*"t":\([0-9]*\).*/\1/p')" 'JSON: time is when recording began'
is "$wall" "$(printf '%s\n' "$out" | sed -n 's/.*"w":\([0-9]*\).*/\1/p')" 'walltime is the time of day then'
between "$wall" "$before" "$after" 'as the clock says'

run "$DTR" -O html -qr "$work/g.rec" -n 'profile-997 { @[ustack()] = count(); }'
out=$(printf '%s\n' "$out" | grep '^<script id="data"')
is "$(member host)" "$(uname -n)" 'HTML: the host'
is "$(member subject)" "the command '$load 300'" 'the command'
is "$(member time)" "$((wall / 1000000))" 'the date'
between "$(member seconds)" 0.3 "$(((after - before) / 1000000000 + 1))" 'the duration'

profile() { # OPTION... : a profile, of which $out is the text
	rm -f "$work/pb.gz"
	run "$DTR" -O pprof -q -o "$work/pb.gz" "$@"
	"$here/tests/lib/profileshow" <"$work/pb.gz" >"$work/out"
	out=$(cat "$work/out")
}
line() { printf '%s\n' "$out" | sed -n "s/^$1 //p"; }
profile -r "$work/g.rec" -n 'profile-997 { @[ustack()] = count(); }'
is "$(line time)" "$wall" 'pprof: the date'
between "$(line duration)" 300000000 "$((after - before))" 'the duration'
is "$(line main)" load 'the main program comes first'
profile -r "$work/g.rec" -n 'profile-997 { @[stack()] = count(); }'
is "$(line main)" load 'the program of -c without any frame of it'
run "$DTR" record -qg -o "$work/a.rec" -c "sh -c '$load 200; :'"
profile -r "$work/a.rec" -n 'profile-997 /execname == "load"/ { @[ustack()] = count(); }'
is "$(line main)" load 'a child of the command: what most samples are in'

# ---- this machine, now, in both engines
for engine in bpf user; do
	[ $engine = user ] || with_bpf 'the kernel'"'"'s engine' || continue
	before=$(date +%s%N)
	run "$DTR" -x engine=$engine -O json -qn 'BEGIN { exit(0); }'
	after=$(date +%s%N)
	between "$(member walltime)" "$before" "$after" "$engine: JSON has the date"
	between "$(member time)" 1 "$(awk '{ printf "%.0f", ($1 + 1) * 1e9 }' /proc/uptime)" 'and the time'
	profile -x engine=$engine -n 'profile-997 /pid == $target/ { @[ustack()] = count(); }' -c "$load 200"
	is "$(line main)" load 'pprof: the command'
	between "$(line time)" "$after" "$(date +%s%N)" 'the date'
	between "$(line duration)" 200000000 "$(($(date +%s%N) - after))" 'the duration'
done
"$load" 100000 >/dev/null &
pid=$!
children="$children $pid"
profile -p $pid -n 'profile-997 /pid == $target/ { @[stack()] = count(); } tick-100ms { exit(0); }'
is "$(line main)" load 'the program of -p'
stop $pid

# ---- of perf record
if command -v perf >/dev/null; then
	perf record -q -F 997 -g -k mono -o "$work/perf.data" "$load" 200 >/dev/null 2>&1
	run "$DTR" -O html -qr "$work/perf.data" -n 'profile-997 { @[ustack()] = count(); }'
	out=$(printf '%s\n' "$out" | grep '^<script id="data"')
	is "$(member host)" "$(uname -n)" 'perf.data: the host'
	like "$(member subject)" "perf record .* $load 200\$" 'the command of perf'
	between "$(member seconds)" 0.2 30 'the duration'
	like "$(member time)" '^[0-9]+$' 'the date'
	profile -r "$work/perf.data" -n 'profile-997 { @[ustack()] = count(); }'
	is "$(line main)" load 'the main program'
else
	echo '# no perf: perf.data is not tested'
fi
done_testing
