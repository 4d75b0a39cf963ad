#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What dtr needs on a machine with this many CPUs: one line. bench/cpus.sh runs it in guests. Times are those of an
# emulated machine: only their growth means something.
export DTR_SHARE=/s/share
dtr=/b/dtr

ms() { date +%s%N | cut -c1-13; }
# The mean time of three runs.
took() {
	t=$(ms)
	for i in 1 2 3; do "$dtr" -q "$@" >/dev/null 2>/tmp/err || { cat /tmp/err; exit 1; }; done
	echo $((($(ms) - t) / 3))
}
# KB of the maps of a process, each counted once.
maps() {
	cat /proc/"$1"/fdinfo/* 2>/dev/null |
		awk '/^map_type:/ { m = $2 } /^memlock:/ { b = $2 } /^map_id:/ && !($2 in seen) { seen[$2]; n += b }
			END { printf "%d", n / 1024 }'
}
# Runs a script until it prints "ready"; sets $kb (its maps) and $rss.
memory() {
	rm -f /tmp/out
	mkfifo /tmp/out
	exec 3<>/tmp/out		# a pipe without a reader would end dtr
	"$dtr" -q -n "$1" >/tmp/out 2>/tmp/err &
	pid=$!
	read -r word <&3
	kb=$(maps $pid)
	rss=$(awk '$1 == "VmHWM:" { print $2 }' /proc/$pid/status)
	kill -INT $pid
	wait $pid
	exec 3<&-
	[ "$word" = ready ] || { echo "no line: $word"; cat /tmp/err; }
}
start=$(took -n 'BEGIN { exit(0); }')
arm=$(took -n 'BEGIN { exit(0); } profile-97 { @ = count(); }')
keyed=$(took -n 'BEGIN { exit(0); } profile-97 { @[pid, execname] = count(); }')
records=$(took -n 'BEGIN { exit(0); } profile-97 { printf("%d\n", pid); }')
memory 'syscall::getppid:entry { printf("%d\n", pid); } BEGIN { printf("ready\n"); }'
rings=$kb ringrss=$rss
memory 'syscall:::entry { @[pid, execname] = count(); } BEGIN { printf("ready\n"); }'
agg=$kb aggrss=$rss
"$dtr" -q -x cost -n 'profile-97 { @[cpu, pid, execname] = count(); } tick-200ms { printa(@); }
	tick-200ms /++i == 20/ { exit(0); }' >/dev/null 2>/tmp/err
own=$(awk '$1 == "dtr" && $2 == "itself" { print $5 / 20 }' /tmp/err)
printf '%5s %9s %9s %9s %9s %10s %9s %9s %9s %9s\n' "$(nproc)" "$start" "$arm" "$keyed" "$records" "$own" "$rings" \
	"$ringrss" "$agg" "$aggrss"
