# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Recordings that would cost too much time or memory: implausible times, endless pipes. Signals while a recording is
# read.
. "$SRC/tests/lib/tap.sh"
cd "$work" || exit 1
make_recording() { "$here/tests/fuzz/record_seed" "$1"; }

make_recording dtr >dtr

# ---- one sample that is a hundred years later than the others ----
ticks() { printf '%s' "tick-1s { n++; } profile-$1 { s++; } END { printf(\"%d %d\", n, s); }"; }
for kind in far:1000:12 farperf:997:10; do
	file=${kind%%:*}
	rate=${kind#*:}
	samples=${rate#*:}
	rate=${rate%:*}
	make_recording "$file" >"$file"
	run "$DTR" -x ledger=off -r "$file" -qn "$(ticks "$rate")"
	is "$status:${out#* }" "0:$samples" "$file: the query ends and has every sample"
	between "${out% *}" 1 2000000 "$file: the number of ticks is limited"
	like "$err" 'has 31[0-9]* s without samples; most ticks in them were skipped' \
		"$file: a warning reports the skipped ticks"
done
make_recording dtr >dtr
run "$DTR" -x ledger=off -r dtr -qn 'tick-1ms { n++; } END { printf("%d", n); }'
unlike "$err" 'left out' 'all ticks of an ordinary recording fire'

# ---- control groups: names that would be commands for the terminal; recordings without groups, cut, changed ----
make_recording groups >groups
run "$DTR" -x ledger=off -r groups -qn 'profile-1000 { @[container, pod, image] = count(); } END {
	printa("%s|%s|%s|%@d\n", @); }'
is "$status:$out" '0:we\nb\033[31m|shop/web|nginx|12' 'names of a recording are escaped'
run "$DTR" report -C groups
like "$out" '12 .*   we\\nb\\033\[31m$' 'also in a report'
for what in 'profile-1000 { @[container] = count(); }' 'profile-1000 /cgroup == "/a"/ { }' \
	'profile-1000 { trace(cgroupid); }'; do
	run "$DTR" -q -x ledger=off -r dtr -n "$what"
	is "$status:$err" '1:dtr: cgroup, container, pod, image (curthread->cgroups->dfl_cgrp) was not recorded' \
		"a recording without control groups: $what"
done
run "$DTR" -q -x ledger=off -r dtr -x container=web -n 'profile-1000 { }'
like "$status:$err" '^1:.*was not recorded$' '-x container'
run "$DTR" report -C dtr
like "$status:$err" '^1:.*was not recorded$' 'dtr report -C'
run "$DTR" -q -x ledger=off -x hierarchy=memory -r groups -n 'profile-1000 { trace(cgroup); }'
is "$status:$err" '1:dtr: -x hierarchy=memory: the recording has the control groups of version 2' 'another hierarchy'
n=20
while [ $n -lt "$(wc -c <groups)" ]; do
	head -c $n groups >cut
	run "$DTR" -x ledger=off -r cut -qn 'profile-1000 { @[container] = count(); }'
	[ "$status" -le 1 ] || break
	n=$((n + 7))
done
ok "$([ "$status" -le 1 ]; echo $?)" 'a truncated recording is read as far as possible' "$n bytes: status $status"

# ---- the first signal ends a query in the middle; END runs ----
for sig in TERM INT HUP; do	# trunc(): records are printed before the next tick fires
	run "$DTR" -x ledger=off -w -r far -qn 'tick-1s { n++; @ = count(); }
		tick-1s /n == 1000/ { system("kill -'$sig' %d; sleep 1", $pid); }
		END { printf("END %d", n); trunc(@); }'
	is "$status:${out%% [0-9]*}" 0:END "SIG$sig: END runs"
	between "${out#END }" 1000 500000 "SIG$sig: most ticks had not fired"
done
# Nothing is printed before everything is read: a million ticks with an expensive clause.
tick=$(i=0; while [ $i -lt 200 ]; do echo 's = strjoin(strjoin("a", lltostr(n)), lltostr(n * 17));'; i=$((i + 1)); done)
"$DTR" -x ledger=off -r far -qn "tick-1s { n++; $tick } END { printf(\"END %d\", n); }" >out 2>err &
pid=$!
children="$children $pid"
wait_until has_run $pid 100
stop $pid
is "$?:$(sed 's/ .*//' out)" 0:END 'a signal while ticks fire: END runs'
between "$(sed 's/END //' out)" 1 900000 'a signal while ticks fire: not all ticks had fired'

# ---- pipes: no more is read than the headers announce ----
count='{ @[pid, tid, execname] = count(); }'
for kind in dtr:1000 small:1000 perf:997 pipe:997; do
	file=${kind%:*}
	rate=${kind#*:}
	make_recording "$file" >"$file"
	run "$DTR" -r "$file" -qn "profile-$rate $count"
	want="$status:$out"
	cat "$file" | "$DTR" -r - -qn "profile-$rate $count" >out 2>err
	is "$?:$(cat out)" "$want" "$file: the same result through a pipe"
	rm -f read
	{ cat "$file"; head -c 50000000 /dev/zero && : >read; } 2>/dev/null |
		"$DTR" -r - -qn "profile-$rate $count" >out 2>err
	is "$(cat out):$(ls read 2>/dev/null)" "${want#*:}:" "$file: trailing data is not read"
	for n in 4 12 30 200 400; do
		head -c $n "$file" | "$DTR" -r - -qn "profile-$rate $count" >out 2>err
		grep -q 'offset\|without samples' err || echo "$n bytes: $(cat err)"
	done >cut
	is "$(cat cut)" '' "$file: truncated in a pipe"
done
for begin in '' PERFILE2; do
	rm -f read
	{ printf %s "$begin"; head -c 50000000 /dev/zero && : >read; } 2>/dev/null | "$DTR" -r - -qn BEGIN >out 2>err
	like "$(cat err):$(ls read 2>/dev/null)" 'offset [08]: .*:$' "zeros after '$begin' are no recording"
done
run "$DTR" -r /dev/zero -qn BEGIN
like "$err" 'offset 0: not a recording' 'a device is no recording'

# A large sparse file.
make_recording perf >sparse
truncate -s 40G sparse
run "$DTR" -r sparse -qn "profile-997 $count"
is "$status" 0 'a perf.data file with 40 GB of trailing zeros'

# ---- saved aggregations ----
run "$DTR" -x engine=user -x aggsave=saved -qn 'BEGIN { @a[1] = count(); @b["x"] = quantize(4); exit(0); }'
cat saved | "$DTR" merge /dev/stdin saved >out 2>err
is "$?:$(awk '$1 == 1 { print $2; exit }' out)" 0:2 'saved aggregations through a pipe'
for file in saved head; do
	rm -f read
	head -c 30 saved >head
	{ cat $file; head -c 50000000 /dev/zero && : >read; } 2>/dev/null | "$DTR" merge /dev/stdin >out 2>err
	like "$(cat err):$(ls read 2>/dev/null)" '(bytes after the end|is damaged).*:$' \
		"$file: no more is read than the header announces"
done
run "$DTR" merge /dev/zero
like "$err" 'byte 0: not a file of saved aggregations' 'a device is no file of saved aggregations'
done_testing
