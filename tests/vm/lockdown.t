# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A kernel in lockdown (-a lockdown=confidentiality): programs cannot read its memory; what does not need that works.
. "$SRC/tests/lib/tap.sh"
mount -t securityfs none /sys/kernel/security 2>"$work/mount"
grep -q '\[confidentiality\]' /sys/kernel/security/lockdown ||
	{ echo '1..0 # SKIP the kernel is not in lockdown'; exit 0; }

run "$DTR" -qn 'BEGIN { trace(*(int *)`jiffies); exit(0); }'
like "$status:$(printf '%s\n' "$err" | head -n 1)" \
	"^1:dtr: .*BEGIN reads the kernel's memory: kernel lockdown \(mode confidentiality\) forbids it" \
	'memory of the kernel: refused with the reason'
is "$(printf '%s\n' "$err" | grep -c 'unknown func')" 0 "without the verifier's log"
run "$DTR" -qn 'tick-10ms { n++; } tick-1s { printf("%d %d %d", n > 20, execname != "",
	curthread->real_parent->tgid >= 0); exit(0); }'
is "$status:$out" '0:1 1 1' "timers, names of processes, fields of the kernel's structures"
run "$DTR" -qn 'syscall::getppid:entry /pid == $target/ { n++; } END { printf("n=%d", n); }' \
	-c "$here/tests/kernel/known"
like "$(printf '%s\n' "$out" | tail -n 1)" '^n=1000$' 'system calls'
done_testing
