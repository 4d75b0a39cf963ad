#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -x maxcost: above the limit firings are left out, sums remain right within their intervals, everything is reported;
# what cannot be thinned is stopped. No limit here is a speed: each is a part of what the same script has just cost.
. "$SRC/tests/lib/tap.sh"
. "$SRC/tests/lib/maxcost.sh"
need_kernel
with_bpf 'maxcost' || { echo '1..0 # SKIP needs BPF'; exit 0; }
cd "$work" || exit 1
cpus=$(getconf _NPROCESSORS_ONLN)
calls="$here/tests/kernel/calls_known"
n=300000

# ---- what can be thinned ----
# thins YES|NO PROBE BODY: does the program of the clause have code for it?
thins() {
	run "$DTR" -d I -x maxcost=1% -w -n "$2 $3"
	if [ "$1" = yes ]; then
		like "$out" '@thin[" ]' "thinned: $2 $3"
	else
		unlike "$out" '@thin[" ]' "not thinned: $2 $3"
	fi
}
at=syscall::getppid:entry
for body in '{ @ = count(); }' '{ @[pid] = sum(arg0); @a = avg(arg0); @d = stddev(arg0); }' \
	'{ @ = quantize(arg0, 3); }' '{ this->x = 1; @ = sum(this->x++); }' \
	'{ @ = lquantize(arg0, 0, 9); @l = llquantize(arg0, 10, 0, 6, 20); }' \
	'/x == self->y/ { printf("%d %d", pid, a[1]); }' '' '{ trace(1); ustack(); print(pid); }' \
	'{ if (pid) { @ = count(); } }'; do
	case $body in
	*self*) thins yes 'BEGIN { x = self->y = 1; a[1] = 2; }' "$at $body" ;;
	*) thins yes $at "$body" ;;
	esac
done
for body in '{ @ = max(arg0); }' '{ @ = count(); @m = min(arg0); }' '{ x = 1; }' '{ self->x = 1; }' '{ a[pid]++; }' \
	'/i++ < 5/ { @ = count(); }' '{ exit(0); }' '{ @ = count(); printa(@); }' '{ @ = count(); clear(@); }' \
	'{ if (pid) { x = 2; } }' '{ @[x = 3] = count(); }' '{ this->s = speculation(); }' '{ stop(); }' \
	'{ raise(0); }' '{ system("true"); }' '{ copyoutstr("x", arg0, 2); }' '{ setopt("quiet"); }'; do
	thins no $at "$body"
done
thins no 'tick-1s' '{ @ = count(); }'
thins no 'BEGIN' '{ @ = count(); }'
thins no 'sweep-1s' '{ @ = count(); }'
thins yes 'profile-99' '{ @ = count(); }'
thins no $at '{ @ = count(); } ERROR { trace(1); }'
run "$DTR" -d I -n "$at { @ = count(); }"
unlike "$out" '@thin|random' 'without the option there is no code for it'

# ---- sums ----
clause='{ @n = count(); @s = sum(3); @q = quantize(7); @l = lquantize(5, 0, 10); @a = avg(11);
	@k[execname, ustack(2)] = count(); }'
field() { printf '%s\n' "$out" | sed -n "s/.*\"type\":\"thinned\".*\"$1\":\([0-9]*\).*/\1/p"; }
value() { printf '%s\n' "$out" | sed -n "s/.*\"aggregation\":\"$1\".*\"value\":\(-\{0,1\}[0-9]*\).*/\1/p"; }
buckets() {
	printf '%s\n' "$out" | sed -n "s/.*\"aggregation\":\"$1\"//p" | grep -o '"count":[0-9]*' | cut -d: -f2 |
		awk '{ n += $1 } END { print n }'
}
until_thinned="$calls $n $work/err 'from now on'"
# PROBE: thins a script of it; status 1 if it could not be held
thinned() {
	run "$DTR" -q -x cost -n "$1 /pid == \$target/ $clause" -c "$calls $n"
	is "$status" 0 "$1: the script runs without a limit"
	cost=$(printf '%s\n' "$err" | awk '$1 == "entry" { print $5 }')
	limit=$(awk "BEGIN { printf \"%.3f\", $cost / $cpus / 3 }")
	held "$limit" -O json -n "$1 /pid == \$target/ $clause" -c "$until_thinned"
	[ "$status" = 0 ]
}
# The sums of the session.
sums() {
	n=$(printf '%s\n' "$out" | sed -n 's/^calls //p')
	is "$status" 0 "a third of the cost is held ($limit % of $cpus CPUs)"
	like "$err" 'from now on some firings are left out' 'the beginning is reported'
	like "$err" 'thinned by -x maxcost: tracing cost [0-9.]+ % of this' 'the table is printed'
	count=$(value n)
	# Six standard errors: a normal value is outside once in 500 million runs.
	between "$count" $((n - 6 * $(field error))) $((n + 6 * $(field error))) 'count() is within its interval'
	ok "$([ "$(field error)" -gt 0 ] && [ "$(field run)" -lt "$(field firings)" ] && [ "$(field run)" -lt "$n" ]
		echo $?)" \
		'firings were left out' "$out"
	is "$(value s)" $((3 * count)) 'sum() has the same weights'
	is "$(value k)" "$count" 'so has a row with keys'
	is "$(value a)" 11 'avg() is the average'
	is "$(buckets q)" "$count" 'quantize() has the same weights'
	is "$(buckets l)" "$count" 'lquantize() has the same weights'
	n=300000
}
own='pid$target:calls_known:called:entry'
thinned "$own"
sums
# Firings of system calls that do nothing cost something, and all processes make them.
if thinned $at; then sums; else skip 'sums of a system call' 'other processes make too many of them'; fi

# ---- printing is thinned ----
print="$own /pid == \$target/ { printf(\"%d %s\\n\", pid, execname); }"
run "$DTR" -q -x cost -n "$print" -c "$calls $n"
cost=$(printf '%s\n' "$err" | awk '$1 == "entry" { p = $5 } $1 == "dtr" { d = $6 } END { print p + d }')
for part in 3 2 1.5; do	# the machine may be faster now, so that what cannot be left out costs more than a third
	limit=$(awk "BEGIN { printf \"%.3f\", $cost / $cpus / $part }")
	held "$limit" -q -n "$print" -c "$until_thinned"
	case $err in *'even firings of'*) ;; *) break ;; esac
done
is "$status" 0 'the cost of printing is held'
n=$(printf '%s\n' "$out" | sed -n 's/^calls //p')
lines=$(printf '%s\n' "$out" | grep -c '^[0-9]* calls_known$')
drops=$(printf '%s\n' "$err" | awk '/drops? on CPU/ { n += $2 } END { print n + 0 }')
ok "$([ "$lines" -gt 0 ] && [ $((lines + drops)) -lt "$n" ]; echo $?)" 'fewer lines are printed' "$lines $drops" "$err"
like "$err" 'they stand for' 'and that is reported'

# ---- what cannot be thinned is stopped ----
run "$DTR" -q -x maxcost=0.001% -n "$at { self->t = timestamp; } syscall::getppid:return /self->t/ {
	@ = count(); self->t = 0; } tick-100s { exit(0); } END { printf(\"end\\n\"); }" -c "$calls forever"
is "$status" 1 'a script that cannot be thinned is stopped'
like "$err" 'stopped: tracing cost [0-9.]+ % of the time of [0-9]+ CPUs; maxcost is 0.001 %; firings of [a-z]+ ' \
	'with the cost'
like "$err" 'cannot be left out \(line [12]: it assigns to a variable: t\)' 'and the reason'
like "$out" '^end$' 'END runs'
like "$out" '^ +[1-9][0-9]*$' 'the aggregation is printed'

# ---- refused ----
refused() { # REASON ARGUMENT...
	reason=$1
	shift
	run "$DTR" -x maxcost=1% "$@"
	is "$status" 1 "refused: $*"
	like "$err" "maxcost is not possible here: .*$reason" 'with the reason'
}
refused 'each entry and each return' -F -n 'BEGIN { exit(0); }'
refused 'samples that count once' -x shares=all -n 'profile-9 { @ = count(); }'
refused 'samples that count once' -x interval -n 'profile-9 { @ = count(); }'
refused 'only the kernel engine' -x engine=user -n 'profile-9 { @ = count(); }'
for bad in 0 101% 1x; do
	run "$DTR" -x maxcost=$bad -n 'BEGIN { exit(0); }'
	is "$status" 2 "maxcost=$bad"
done
done_testing
