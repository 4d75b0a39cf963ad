# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The profile provider on this kernel, checked against independent sources: /proc, ps, addresses, the clock.
. "$SRC/tests/lib/tap.sh"
need_kernel
ncpu=$(nproc)

# One busy loop on each CPU: a busy CPU delivers its samples.
spin_on 0
busy0=$spin
if [ "$ncpu" -gt 1 ]; then
	spin_on 1
	busy1=$spin
fi

# column PROBE CPU COLUMN: the value in the ledger.
column() {
	printf '%s\n' "$err" | awk -v probe="$1" -v cpu="$2" -v name="$3" '/^  probe/ { for (i = 1; i <= NF;
		i++) if ($i == name) col = i + (i > 4) * 2 }
		$1 == probe && $2 == cpu { print col ? $col + 0 : 0; exit }'
}
value() { printf '%s\n' "$out" | awk -v w="$1" '$1 == w { print $2; exit }'; }
# at_most NS: the number of intervals of NS between BEGIN and END
clock='BEGIN { from = timestamp; } END { printf("took %d\n", timestamp - from); }'
at_most() { awk "BEGIN { print int($(value took) / $1) + 2 }"; }

# The machine may stall in the meantime: a delayed timer is not a missing firing. But each timer that expires must fire
# (tests/kernel/test_firings observes them independently), and hardly any of these firings may be missing.
run "$DTR" -x ledger=cpu -qn "profile-997 { @[cpu] = count(); } tick-2s { exit(0); } $clock END {
	printa(\"%d %@d\\n\", @); }"
for cpu in 0 ${busy1:+1}; do
	n=$(value $cpu)
	same "$n" "$(column profile-997 $cpu delivered)" \
		"profile-997 on busy CPU $cpu: the ledger agrees with the script"
	due=$(column profile-997 $cpu expected)
	between "$due" 1984 "$(at_most 1003009)" "busy CPU $cpu: 997 firings per second are expected"
	is "$(column profile-997 $cpu idle)" 0 "busy CPU $cpu: no firing is missing because the CPU was idle"
	due=$((due - $(column profile-997 $cpu late) - $(column profile-997 $cpu throttled)))
	due=$((due - $(column profile-997 $cpu stopped)))
	between "$n" "$((due * 9 / 10))" "$due" \
		"busy CPU $cpu: at least 90 % of the expired timers are delivered, none twice"
done

run "$DTR" -qn 'profile-97 /pid == $1/ { @[pid, execname] = count(); n++; } profile-97 /n >= 20/ { exit(0); }' "$busy0"
like "$out" "^ +$busy0  sh +[0-9]+$" 'pid and execname of a busy process'

run "$DTR" -qn 'profile-997 { @b = sum((arg0 != 0) + (arg1 != 0)); @n = count(); } tick-1s { exit(0); }
	END { printa("set %@d\n", @b); printa("all %@d\n", @n); }'
same "$(value set)" "$(value all)" \
	'exactly one of arg0 and arg1 is set'

# The user PC is in the function that spins.
"$here/tests/kernel/spinfn" 0 >"$work/range" &
fn=$!
children="$children $fn"
wait_until [ -s "$work/range" ]
read -r low high <"$work/range"
# (samples before the process has entered the function are skipped)
run "$DTR" -qn 'profile-997 /pid == $1 && arg1 >= $2 && arg1 < $3/ { there++; }
	profile-997 /pid == $1 && arg1 && there/ { @[arg1 >= $2 && arg1 < $3 ? "in" : "out"] = count(); n++; }
	profile-997 /n >= 300/ { exit(0); }' "$fn" "0x$low" "0x$high"
in=$(printf '%s\n' "$out" | awk '$1 == "in" { print $2 }')
outside=$(printf '%s\n' "$out" | awk '$1 == "out" { print $2 }')
between "$((${in:-0} + ${outside:-0}))" 300 400 'samples of a process that spins in one function'
between "${in:-0}" 290 400 'the user PC is in the spinning function'
is "${outside:-0}" 0 'the user PC is never outside of it'
stop $fn

# Shares of two programs on one CPU, compared with their run times from the first sample to the last according to the
# scheduler. Tolerance: five standard errors of that many samples; half a percentage point, because the run times are
# as old as the last tick; and the share of delayed intervals, for which a program has run time but no sample.
spin_on 0
other=$spin
renice -n 5 -p "$other" >/dev/null 2>&1
run "$DTR" -x ledger=cpu -qn 'profile-997 /cpu == 0 && (pid == $1 || pid == $2)/ { @n[pid] = count(); n++;
		@lo[pid] = min(curthread->se.sum_exec_runtime); @hi[pid] = max(curthread->se.sum_exec_runtime); }
	profile-997 /n >= 2000/ { exit(0); } END { printa("%d %@d %@d %@d\n", @n, @lo, @hi); }' "$busy0" "$other"
late=$(($(column profile-997 0 late) + $(column profile-997 0 throttled) + $(column profile-997 0 stopped)))
set -- $(printf '%s\n' "$out" | awk -v a="$busy0" -v b="$other" -v late="$late" -v due="$(column profile-997 0 \
	expected)" '
	NF == 4 { n[$1] = $2; ran[$1] = $4 - $3 }
	END { s = n[a] / (n[a] + n[b]); t = ran[a] / (ran[a] + ran[b]); d = 100 * (s - t)
		print n[a] + 0, n[b] + 0, d < 0 ? -d : d,
		500 * sqrt(s * (1 - s) / (n[a] + n[b])) + 0.5 + 100 * late / due }')
between "$3" 0 "$4" "shares of two programs agree with the scheduler ($1 and $2 samples, $late delayed intervals)"
between "$2" 100 1900 'both programs have run'
stop "$other"

# The priority is the one that ps prints. If the process is reniced halfway, the histogram has two rows.
spin_on 0
prio=$spin
renice -n 0 -p "$prio" >/dev/null 2>&1	# independent of the nice value of this test
run "$DTR" -qn 'profile-499 /pid == $1/ { @ = max(curlwpsinfo->pr_pri); @n = max(curlwpsinfo->pr_nice); n++; }
	profile-499 /n >= 20/ { exit(0); } END { printa("%@d %@d", @, @n); }' "$prio"
is "$out" "$(ps -o pri= -p "$prio" | tr -d ' ') 0" 'pr_pri is what ps -o pri says'
rm -f "$work/out"
"$DTR" -qn 'profile-1001 /pid == $1/ { @[execname] = lquantize(curlwpsinfo->pr_pri, 0, 100, 10); }
	profile-1001 /pid == $1 && before++ == 100/ { printf("go\n"); } profile-1001 /pid == $1 &&
	curlwpsinfo->pr_pri < 10/ { after++; }
	profile-1001 /after >= 100/ { exit(0); }' "$prio" >"$work/out" 2>"$work/err" &
tracer=$!
children="$children $tracer"
wait_for go "$work/out"
renice -n 15 -p "$prio" >/dev/null 2>&1
wait $tracer
out=$(cat "$work/out") err=$(cat "$work/err")
like "$out" '^ +value +------------- Distribution ------------- count' 'a priority histogram'
like "$out" '^ +0 \|@+ +[1-9][0-9]*' 'the row of the priority after renice'
like "$out" '^ +10 \|@+ +[1-9][0-9]*' 'the row of the priority before renice'
run "$DTR" -qn 'profile-499 /pid == $1/ { @ = max(curlwpsinfo->pr_pri); n++; } profile-499 /n >= 20/ { exit(0); }
	END { printa("%@d", @); }' "$prio"
is "$out" "$(ps -o pri= -p "$prio" | tr -d ' ')" 'pr_pri follows renice'
stop "$prio"

# The resolution test of DTrace's guide, for 15,000 intervals: ten equal bins. Delayed intervals are added to the bins
# in which they were due. Without delays, a firing follows the previous one after one interval; at least half must do
# so.
run "$DTR" -x ledger=off -qn 'uint64_t from; profile-5000 /cpu == 0/ { @ms = lquantize((timestamp / 1000000) % 10, 0,
	10, 1);
		printf("%d\n", timestamp / 1000 % 100000000000); from = from ? from : timestamp; }
	profile-5000 /from && timestamp - from >= 3000000000/ { exit(0); }'
set -- $(printf '%s\n' "$out" | awk '
	NF == 1 { if (last) for (t = last + 200; t + 100 < $1; t += 200) n[int(t / 1000) % 10]++
		gap = $1 - last; if (last && gap > 150 && gap < 250) right++
		n[int($1 / 1000) % 10]++; all++; last = $1 }
	$2 ~ /^\|@/ { shown += $3; k++ }
	END { for (i = 0; i < 10; i++) s += n[i]; for (i = 0; i < 10; i++) { d = 1000 * n[i] / s - 100;
	if (d < 0) d = -d; if (d > w) w = d }
		print w, right / all, shown - all, k }')
between "$1" 0 5 "profile-5000: ten bins within 5 % of their mean"
between "$2" 0.5 1 'profile-5000: most firings follow the previous one after 200 us'
is "$3:$4" 0:10 'profile-5000: each firing is in a bin of the histogram'

# gzip with -c: samples in the kernel and in user code.
head -c 4000000 /dev/urandom >"$work/file"
run "$DTR" -n 'profile-1ms { @ticks[arg0 ? "kernel" : "user"] = count(); }' -c "gzip -9 -k $work/file"
is "$status" 0 'the kernel/user example runs'
like "$out" '^  user +[0-9]+$' 'the kernel/user example counts user ticks'
ok "$([ -s "$work/file.gz" ]; echo $?)" 'the command of the kernel/user example did its work'

# tick: one firing per interval, none twice. Firings that dtr could not make up for are reported as late (dtr had no CPU
# for 50 ms; see tests/kernel/test_profile). They are the smaller part unless the machine hardly ran.
ticks() { # PROBE NS SECONDS NAME
	run "$DTR" -x ledger -qn "$1 { @ = count(); } tick-$3s { exit(0); } $clock END { printa(\"fired %@d\\n\", @); }"
	same "$(value fired)" "$(column "$1" all delivered)" "$1 $4: the ledger agrees with the script"
	between "$(column "$1" all expected)" "$(($3 * 1000000000 / $2 - 20000000 / $2 - 1))" "$(at_most "$2")" \
		"$1 $4: one firing is expected per interval"
	same "$(($(value fired) + $(column "$1" all late)))" "$(column "$1" all expected)" \
		"$1 $4: fired and late add up to expected"
	between "$(value fired)" "$(($(column "$1" all expected) / 4))" "$(column "$1" all expected)" "$1 $4: it fires"
}
ticks tick-10ms 10000000 2 'with every CPU busy'
ticks tick-5000 200000 1 'with every CPU busy'
stop "$busy0"
if [ "$ncpu" -gt 1 ]; then
	ticks tick-10ms 10000000 2 'with one CPU idle'
	stop "$busy1"
fi
ticks tick-10ms 10000000 2 'on an idle machine'
ticks tick-1000 1000000 2 'on an idle machine'
run "$DTR" -qn 'tick-100ms { exit(0); }'
is "$status" 0 'tick-100ms { exit(0); } ends on an idle machine'
run "$DTR" -qn 'tick-100ms { @[arg0 != 0, arg1 != 0] = count(); } tick-1s { exit(0); }'
unlike "$out" '^ +(0 +0|1 +1) ' 'exactly one of arg0 and arg1 in tick, on an idle machine too'

# clear() loses nothing: the printed counts add up to the firings.
spin_on 0
run "$DTR" -qn 'profile-4999 { @a = count(); @all = count(); } tick-50ms { printa("a %@d\n", @a); clear(@a); }
	tick-2s { exit(0); } END { printa("a %@d\n", @a); printa("all %@d\n", @all); }'
same "$(printf '%s\n' "$out" | awk '$1 == "a" { s += $2 } END { print s }')" \
	"$(printf '%s\n' "$out" | awk '$1 == "all" { print $2 }')" \
		'counts printed between clear() calls add up to all firings'
run "$DTR" -qn 'profile-4999 { @a[cpu, execname] = count(); @all = count(); } tick-50ms { printa("a %d %s %@d\n", @a);
	trunc(@a); }
	tick-2s { exit(0); } END { printa("a %d %s %@d\n", @a); printa("all %@d\n", @all); }'
same "$(printf '%s\n' "$out" | awk '$1 == "a" { s += $NF } END { print s }')" \
	"$(printf '%s\n' "$out" | awk '$1 == "all" { print $2 }')" \
		'counts printed between trunc() calls add up to all firings, with keys'
stop "$spin"
done_testing
