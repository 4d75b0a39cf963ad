# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Scripts of one line, each with a result that is known: what works first on a new kernel or processor. The rows of
# programs come from the programs themselves: tests/kernel/known counts its calls, busy knows its times.
. "$SRC/tests/lib/tap.sh"
need_kernel
busy=$here/tests/kernel/busy
known=$here/tests/kernel/known
known_calls

# rows: the rows of the aggregation without spaces at the ends, in one line
rows() { printf '%s\n' "$out" | sed -n '/^$/,$p' | awk 'NF { $1 = $1; printf "%s%s", sep, $0; sep = "; " }'; }
made() { printf '%s\n' "$out" | awk -v name="$1" '$1 == name { print $2 }'; } # NAME: the number after it

run "$DTR" -qn 'BEGIN { printf("%d %s %x", 6 * 7, "right", -1); exit(3); }'
is "$status:$out" '3:42 right ffffffff' 'BEGIN, printf, exit'

run "$DTR" -qn 'BEGIN { @ = quantize(1); @ = quantize(5); @ = quantize(6); exit(0); }'
is "$(rows)" 'value ------------- Distribution ------------- count; 0 | 0; 1 |@@@@@@@@@@@@@ 1; 2 | 0; '\
'4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@ 2; 8 | 0' 'quantize'

run "$DTR" -qn 'BEGIN { begun = timestamp; } tick-10ms { n++; } tick-10ms /n == 50/ {
	printf("%d", (timestamp - begun) / 1000000); exit(0); }'
between "$out" 490 60000 'tick-10ms: the 50th after 500 ms'

# shares: of the target's samples, that in the kernel is 40 %: 5 standard deviations, and what the clock misses
shares() { # NAME
	u=$(made user) k=$(made kernel)
	between "$(awk "BEGIN { n = 0$u + 0$k; if (n) print (0$k / n - 0.4) / (5 * sqrt(0.24 / n) + 0.05) }")" -1 1 \
		"$1: 60 % user, 40 % kernel ($u, $k)"
}
run "$DTR" -qn 'profile-997 /pid == $target/ { @[arg0 ? "kernel" : "user"] = count(); }' -c "$busy split 600 400"
shares profile-997
run "$DTR" -x engine=user -qn 'profile-997 /pid == $target/ { @[arg0 ? "kernel" : "user"] = count(); }' \
	-c "$busy split 600 400"
shares 'the rootless engine'

run "$DTR" -qn 'profile-997 /pid == $target && execname == "busy"/ { @[execname, curlwpsinfo->pr_pri] = max(7); }' \
	-c "nice -n 7 $busy split 100 0"
is "$(rows)" 'busy 12 7' 'execname, pr_pri: 19 less nice'

run "$DTR" -qn 'profile-997 /pid == $target/ { @[ustack()] = count(); }' -c "$busy deep 200 3"
like "$(printf '%s\n' "$out" | sed 's/+0x.*//' | tr -d ' \n')" \
	'busy`busy_userbusy`deepbusy`deepbusy`deepbusy`deepbusy`main' 'ustack'

run "$DTR" -qn 'syscall::getppid:entry /pid == $target/ { @[execname, probefunc] = count(); }' -c "$known"
is "$(rows)" "known getppid $(made getppid)" 'system calls'

run "$DTR" -qn 'syscall::futex:entry /pid == $target && arg1 == 999/ { @[arg2, arg3, arg4, arg5] = count(); }' \
	-c "$known"
is "$(rows)" "3 4 5 6 $(made six-args)" 'arguments of system calls'

run "$DTR" -qn 'syscall::close:return /pid == $target && errno/ { @[errno, (int)arg1] = count(); }' -c "$known"
is "$(rows)" "9 -9 $(made close-EBADF)" 'errors of system calls'

run "$DTR" -qn 'syscall::openat:entry /pid == $target/ { printf("opens %s\n", copyinstr(arg1)); }' -c 'cat /etc/passwd'
is "$(printf '%s\n' "$out" | grep -c '^opens /etc/passwd$')" 1 'copyinstr'

run "$DTR" -qn 'proc:::exec-success /progenyof($target)/ { @[execname] = count(); }' -c "$known"
is "$(rows)" "known $(($(made exec-success) - 1))" 'proc:::exec-success, without that of the command'

run "$DTR" -qn 'sched:::sleep /execname == "known-nap"/ { @[execname] = count(); }' -c "$known"
is "$(rows)" "known-nap $(made naps)" 'sched:::sleep'

run "$DTR" -qn 'pid$target::deep:entry { @[probefunc, arg1] = count(); }' -c "$busy deep 20 3"
is "$(rows)" 'deep 0 1; deep 1 1; deep 2 1; deep 3 1' 'pid: arguments of functions'
done_testing
