# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The profile provider on this kernel, checked against things that know better: /proc, ps, addresses, the clock.
. "$SRC/tests/lib/tap.sh"
need_kernel
ncpu=$(nproc)

# One spinner on each CPU: a busy CPU delivers its samples.
spin_on 0
busy0=$spin
if [ "$ncpu" -gt 1 ]; then
	spin_on 1
	busy1=$spin
fi

run "$DTR" -qn 'profile-997 { @[cpu] = count(); } tick-2s { exit(0); } END { printa("%d %@d\n", @); }'
n0=$(printf '%s\n' "$out" | awk '$1 == 0 { print $2 }')
between "$n0" 1795 2010 'profile-997 delivers at least 90 % on a busy CPU, and never more than it should'
if [ "$ncpu" -gt 1 ]; then
	n1=$(printf '%s\n' "$out" | awk '$1 == 1 { print $2 }')
	between "$n1" 1795 2010 'on the other one too'
fi

run "$DTR" -qn 'profile-97 /pid == $1/ { @[pid, execname] = count(); } tick-1s { exit(0); }' "$busy0"
like "$out" "^ +$busy0  sh +[0-9]+$" 'pid and execname of the spinner'

run "$DTR" -qn 'profile-997 { @["both"] = sum((arg0 != 0) + (arg1 != 0)); @["all"] = count(); } tick-1s { exit(0); }'
is "$(printf '%s\n' "$out" | awk '/both/ { print $2 }')" "$(printf '%s\n' "$out" | awk '/all/ { print $2 }')" \
	'exactly one of arg0 and arg1 is set'

# The user PC lies in the function that spins.
"$here/tests/kernel/spinfn" 0 >"$work/range" &
fn=$!
children="$children $fn"
sleep 0.3
read -r low high <"$work/range"
run "$DTR" -qn 'profile-997 /pid == $1 && arg1/ { @[arg1 >= $2 && arg1 < $3 ? "in" : "out"] = count(); }
	tick-1s { exit(0); }' "$fn" "0x$low" "0x$high"
in=$(printf '%s\n' "$out" | awk '$1 == "in" { print $2 }')
outside=$(printf '%s\n' "$out" | awk '$1 == "out" { print $2 }')
between "${in:-0}" 100 1100 'the user PC lies in the spinning function'
is "${outside:-0}" 0 'and nowhere else'
stop $fn

# Shares of two programs on one CPU, against the time the scheduler says they ran. Bound: 2000 samples, each share's
# standard error at most 1.1 points; 6 points is beyond five of them, and schedstat is read a little off the run.
spin_on 0
other=$spin
renice -n 5 -p "$other" >/dev/null 2>&1
ran() { cut -d' ' -f1 "/proc/$1/schedstat"; }
"$DTR" -qn 'BEGIN { printf("go\n"); } profile-997 /cpu == 0 && (pid == $1 || pid == $2)/ { @[pid] = count(); }
	tick-3s { exit(0); }' "$busy0" "$other" >"$work/out" 2>"$work/err" &
tracer=$!
wait_for go "$work/out"
a0=$(ran "$busy0") b0=$(ran "$other")
wait $tracer
a1=$(ran "$busy0") b1=$(ran "$other")
out=$(cat "$work/out")
sa=$(printf '%s\n' "$out" | awk -v p="$busy0" '$1 == p { print $2 }')
sb=$(printf '%s\n' "$out" | awk -v p="$other" '$1 == p { print $2 }')
diff=$(awk "BEGIN { d = 100 * ${sa:-0} / (${sa:-0} + ${sb:-0} + 0.001) - 100 * ($a1 - $a0) / ($a1 - $a0 + $b1 - $b0 + 0.001)
	print d < 0 ? -d : d }")
between "$diff" 0 6 "shares of two programs agree with schedstat ($sa and $sb samples)"
stop "$other"

# Priority, as ps prints it; reniced half way, two rows show.
spin_on 0
prio=$spin
renice -n 0 -p "$prio" >/dev/null 2>&1	# whatever this test was started with
run "$DTR" -qn 'profile-499 /pid == $1/ { @ = max(curlwpsinfo->pr_pri); @n = max(curlwpsinfo->pr_nice); }
	tick-500ms { exit(0); } END { printa("%@d %@d", @, @n); }' "$prio"
is "$out" "$(ps -o pri= -p "$prio" | tr -d ' ') 0" 'pr_pri is what ps -o pri says'
"$DTR" -qn 'BEGIN { printf("go\n"); }
	profile-1001 /pid == $1/ { @[execname] = lquantize(curlwpsinfo->pr_pri, 0, 100, 10); }
	tick-2s { exit(0); }' "$prio" >"$work/out" 2>"$work/err" &
tracer=$!
wait_for go "$work/out"
sleep 0.7
renice -n 15 -p "$prio" >/dev/null 2>&1
wait $tracer
out=$(cat "$work/out") err=$(cat "$work/err")
like "$out" '^ +value +------------- Distribution ------------- count' 'a priority histogram'
like "$out" '^ +0 \|@+ +[1-9][0-9]*' 'its row after renice'
like "$out" '^ +10 \|@+ +[1-9][0-9]*' 'and its row before'
run "$DTR" -qn 'profile-499 /pid == $1/ { @ = max(curlwpsinfo->pr_pri); } tick-500ms { exit(0); } END { printa("%@d", @); }' "$prio"
is "$out" "$(ps -o pri= -p "$prio" | tr -d ' ')" 'pr_pri follows renice'
stop "$prio"

# The guide's resolution test, for three seconds: ten even bins.
run "$DTR" -qn 'profile-5000 /cpu == 0/ { @ms = lquantize((timestamp / 1000000) % 10, 0, 10, 1); }
	tick-1sec /i++ >= 2/ { exit(0); }'
worst=$(printf '%s\n' "$out" | awk '$2 ~ /^\|@/ { n[$1] = $3; s += $3; k++ }
	END { if (k != 10) { print 100; exit } for (i in n) { d = 1000 * n[i] / s - 100; if (d < 0) d = -d; if (d > w) w = d } print w + 0 }')
between "$worst" 0 5 'profile-5000: ten bins within 5 % of their mean'

# gzip with -c: its own samples, kernel and user.
head -c 4000000 /dev/urandom >"$work/file"
run "$DTR" -n 'profile-1ms { @ticks[arg0 ? "kernel" : "user"] = count(); }' -c "gzip -9 -k $work/file"
is "$status" 0 'the kernel/user example runs'
like "$out" '^  user +[0-9]+$' 'and counts user ticks'
ok "$([ -s "$work/file.gz" ]; echo $?)" 'and the command did its work'

# tick with both CPUs busy.
run "$DTR" -qn 'tick-10ms { @ = count(); } tick-2s { exit(0); }
	END { printa("%@d", @); }'
between "$out" 190 200 'tick-10ms with every CPU busy: at least 95 %, none twice'
run "$DTR" -qn 'tick-5000 { @ = count(); } tick-1s { exit(0); } END { printa("%@d", @); }'
between "$out" 4750 5001 'tick-5000 with every CPU busy'

stop "$busy0"
if [ "$ncpu" -gt 1 ]; then
	run "$DTR" -qn 'tick-10ms { @ = count(); } tick-2s { exit(0); } END { printa("%@d", @); }'
	between "$out" 190 200 'tick-10ms with one CPU idle'
	stop "$busy1"
fi
run "$DTR" -qn 'tick-10ms { @ = count(); } tick-2s { exit(0); } END { printa("%@d", @); }'
between "$out" 190 200 'tick-10ms on an idle machine'
run "$DTR" -qn 'tick-1000 { @ = count(); } tick-2s { exit(0); } END { printa("%@d", @); }'
between "$out" 1900 2001 'tick-1000 on an idle machine'
run "$DTR" -qn 'tick-100ms { exit(0); }'
is "$status" 0 'tick-100ms { exit(0); } ends on an idle machine'
run "$DTR" -qn 'tick-100ms { @[arg0 != 0, arg1 != 0] = count(); } tick-1s { exit(0); }'
unlike "$out" '^ +(0 +0|1 +1) ' 'exactly one of arg0 and arg1 in tick, on an idle machine too'

# clear() loses nothing: what is printed adds up to what fired.
spin_on 0
run "$DTR" -qn 'profile-4999 { @a = count(); @all = count(); } tick-50ms { printa("a %@d\n", @a); clear(@a); }
	tick-2s { exit(0); } END { printa("a %@d\n", @a); printa("all %@d\n", @all); }'
is "$(printf '%s\n' "$out" | awk '$1 == "a" { s += $2 } END { print s }')" \
	"$(printf '%s\n' "$out" | awk '$1 == "all" { print $2 }')" 'counts printed between clears add up to all'
run "$DTR" -qn 'profile-4999 { @a[cpu, execname] = count(); @all = count(); } tick-50ms { printa("a %d %s %@d\n", @a); trunc(@a); }
	tick-2s { exit(0); } END { printa("a %d %s %@d\n", @a); printa("all %@d\n", @all); }'
is "$(printf '%s\n' "$out" | awk '$1 == "a" { s += $NF } END { print s }')" \
	"$(printf '%s\n' "$out" | awk '$1 == "all" { print $2 }')" 'the same with keys and trunc()'
stop "$spin"
done_testing
