#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -x maxcost lowers the rate of profile-N first: each firing counts for those that the clock leaves out, the ledger
# expects only those of the lower rate, arg2 is right. The limit is a part of what the same script has just cost.
. "$SRC/tests/lib/tap.sh"
. "$SRC/tests/lib/maxcost.sh"
need_kernel
with_bpf 'maxcost' || { echo '1..0 # SKIP needs BPF'; exit 0; }
cd "$work" || exit 1
cpus=$(getconf _NPROCESSORS_ONLN)
# A program on each CPU, because some kernels leave out timers of idle CPUs.
# all MS: so many ms of CPU time each. all MS FILE: until the file has the message, then four times; prints how often.
cat >all <<E
#!/bin/sh
turn() {
	i=0
	while [ \$i -lt $cpus ]; do
		$here/tests/faults/spin "\$1" &
		i=\$((i + 1))
	done
	wait
}
[ \$# = 2 ] || { turn "\$1"; exit; }
n=4
until grep -q 'from now on' "\$2"; do
	turn "\$1"
	n=\$((n + 1))
done
turn "\$1"; turn "\$1"; turn "\$1"; turn "\$1"
echo "turns \$n"
E
chmod +x all
interval=$((1000000000 / 4999))
ms=500

# ---- the code ----
slows() { # YES|NO PROBE
	run "$DTR" -d I -x maxcost=1% -n "$2 { @ = count(); }"
	if [ "$1" = yes ]; then
		like "$out" '^b[0-9]+ slower:' "$2 can be slower"
	else
		unlike "$out" '^b[0-9]+ slower:' "$2 cannot be slower"
	fi
}
slows yes profile-4999
slows yes profile-20
slows no profile-19
slows no syscall::getppid:entry
slows no tick-1ms

# ---- sums ----
# So much work for each firing that what dtr itself costs does not matter.
keys='pid, tid, execname, uid, gid, ppid, cpu, stack(), curpsinfo->pr_fname'
costly=
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do costly="$costly @$n[$n, $keys] = quantize(arg0);"; done
costly=$(printf '%s' "$costly" | sed 's/@\([0-9]\)/@w\1/g')
script="profile-4999 { @all = count(); @s = sum(3); $costly }
	profile-4999 /arg2 < 0 || arg2 >= 110000000/ { @wrong = count(); }
	profile-4999 /ppid == \$target && execname == \"spin\"/ { @k = count(); }
	tick-10ms { @t = count(); }
	BEGIN { t = timestamp; } END { printf(\"%d\", timestamp - t); }"
run "$DTR" -q -x cost -n "$script" -c "./all $ms"
is "$status" 0 'the script runs without a limit'
cost=$(printf '%s\n' "$err" | awk '$1 == "profile-4999" { print $5 }')
limit=$(awk "BEGIN { printf \"%.3f\", $cost / $cpus / 6 }")
held "$limit" -O json -x ledger -n "$script" -c "./all $ms $work/err"
is "$status" 0 "a sixth of the cost is held ($limit % of $cpus CPUs)"
field() { printf '%s\n' "$out" | sed -n "s/.*\"type\":\"$1\",\"probe\":\"$2\".*\"$3\":\([0-9]*\).*/\1/p"; }
value() { printf '%s\n' "$out" | sed -n "s/.*\"aggregation\":\"$1\".*\"value\":\(-\{0,1\}[0-9]*\).*/\1/p"; }
time=$(printf '%s\n' "$out" | sed -n 's/.*"text":"\([0-9]*\)".*/\1/p' | head -1)
most=$(field thinned profile-4999 most) slower=$(field thinned profile-4999 slower)
expected=$(field ledger profile-4999 expected) delivered=$(field ledger profile-4999 delivered)
like "$err" 'from now on .*; profile-4999 fires at [0-9.]+ Hz' 'the beginning is reported'
like "$err" 'profile-4999: rate lowered from 4999 to [0-9.]+ Hz \(factor [0-9]+\)' 'so is the lowest rate'
ok "$([ "$slower" -gt 1 ] && { [ "$slower" -eq "$most" ] || [ "$slower" -eq 256 ]; }; echo $?)" \
	'before firings are left out, the rate is lowered' "factor $slower, N $most"

# Every event stands for the time in which it was enabled, but for less than one of its periods; at each change each CPU
# gets a new one. N is doubled or halved, and halved at most once in 10 windows of 0.1 s.
changes=$((2 * (time / 1000000000 + 2) + 17))
lost=$((expected - delivered))
slack=$((most * (2 * changes * cpus + 2 * lost)))
due=$((time / interval * cpus))
error=$(awk "BEGIN { print $(field thinned profile-4999 error) * ($most > $slower) * 6 }")
between "$(value all)" "$(awk "BEGIN { print $due - $slack - $error }")" \
	"$(awk "BEGIN { print $due + $slack + $error }")" 'count() counts all intervals of all CPUs'
is "$(value s)" $((3 * $(value all))) 'sum() has the same weights'
between "$expected" 1 $((due * 4 / 5)) 'the ledger expects the firings of lower rates'
is "$(field ledger profile-4999 unexplained)" '' 'and explains each that is missing'
between $((expected * $(field ledger profile-4999 interval))) "$(awk "BEGIN { print 0.8 * $time * $cpus }")" \
	"$(awk "BEGIN { print 1.001 * $time * $cpus }")" 'its interval is the mean of the periods'
# The programs have run for $ms ms each in each turn, and the host may have stopped them. Each of their intervals is
# counted with a probability of at least 1 in $most; six standard errors are exceeded once in 500 million runs.
turns=$(printf '%s\n' "$out" | sed -n 's/^turns //p')
mine=$((cpus * ${turns:-0} * ms * 1000000 / interval))
spread=$(awk "BEGIN { print 6 * sqrt($mine * $most) }")
between "$(value k)" "$(awk "BEGIN { print $mine - $slack - $spread }")" \
	"$(awk "BEGIN { print $mine + $slack + $spread + $stolen / $interval }")" 'programs count by their CPU time'
is "$(value wrong)" '' 'arg2 is within a period'
ok "$([ "$(value t)" -le $((time / 10000000 + 1)) ] && [ "$(value t)" -eq "$(field ledger tick-10ms delivered)" ]
	echo $?)" 'tick-10ms keeps its rate' "$(value t) in $time ns"
done_testing
