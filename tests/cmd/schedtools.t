#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tools of the scheduler, interrupts, block devices, memory and capabilities, compared with what the kernel itself
# counts, or with programs that know what they have done.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_types
command -v perl >/dev/null || { echo '1..0 # SKIP no perl'; exit 0; }
cd "$work" || exit 1

total() { printf '%s\n' "$out" | awk '/\|/ { n += $NF } END { print n + 0 }'; } # of histograms
value() { printf '%s\n' "$out" | sed -n "s/^$1=//p"; }

# ---- runqlen: three threads that want one CPU ----
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
spin='i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done'
run "$DTR" runqlen -C -c "taskset -c $first sh -c '($spin) & ($spin) & $spin; wait'"
between "$(printf '%s\n' "$out" | awk -v c="$first" '/^cpu = / { on = $3 == c } on && /\|/ && $NF { n = $1 }
	END { print n }')" 2 10000 'runqlen -C: threads that wait'
run "$DTR" runqlen -O -c "taskset -c $first sh -c '($spin) & ($spin) & $spin; wait'"
between "$(printf '%s\n' "$out" | sed -n "s/^runqocc, CPU $first  *\([0-9.]*\)%/\1/p")" 30 100 'runqlen -O'
run "$DTR" runqlen 300ms 2 -c 'sleep 30'
is "$status:$(printf '%s\n' "$out" | grep -c 'run queue length$')" 0:2 'runqlen: intervals'

# ---- cpudist: a distribution has one value for each switch, as the kernel counts them for the process ----
switches="perl -e 'select(undef, undef, undef, 0.002) for 1 .. 50; print <>' /proc/self/status"
for o in -P '-P -O'; do
	# shellcheck disable=SC2086
	run "$DTR" cpudist $o -c "$switches"
	want=$(printf '%s\n' "$out" | awk '/ctxt_switches/ { n += $2 } END { print n }')
	between "$(total)" "$((want - 8))" "$((want + 30))" "cpudist $o: switches of a process"
	like "$out" '^pid = [0-9]+ perl$' "cpudist $o: the process"
done
run "$DTR" cpudist -O -m -c "perl -e 'select(undef, undef, undef, 0.3)'"
between "$(printf '%s\n' "$out" | awk '/\|/ && $NF { n = $1 } END { print n }')" 256 60000 \
	'cpudist -O -m: milliseconds'

# ---- hardirqs: the interrupts in /proc/interrupts, which has those before and after, too ----
interrupts() { awk '/^ *[0-9]+:/ { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' /proc/interrupts; }
cat >irq.sh <<'E2'
interrupts() { awk '/^ *[0-9]+:/ { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' /proc/interrupts; }
echo "from=$(interrupts)"
dd if=/dev/zero of=data bs=64k count=50 oflag=direct || dd if=/dev/zero of=data bs=64k count=50
echo "to=$(interrupts)"
E2
before=$(interrupts)
run "$DTR" hardirqs -c 'sh irq.sh'
between "$(printf '%s\n' "$out" | awk 'on && NF == 3 { n += $2 } /^HARDIRQ/ { on = 1 } END { print n + 0 }')" \
	"$(($(value to) - $(value from)))" "$(($(interrupts) - before))" 'hardirqs: as /proc/interrupts'

# ---- biostacks: writes of a loop device, as /proc/diskstats has them ----
truncate -s 16M image
if disk=$(losetup -f --show image 2>&1); then
	trap 'losetup -d "$disk"; tap_cleanup' EXIT
	writes() { awk -v d="${disk#/dev/}" '$3 == d { print $8 }' /proc/diskstats; }
	before=$(writes)
	run "$DTR" biostacks -c "dd if=/dev/zero of=$disk bs=4k count=40 oflag=direct"
	made=$(($(writes) - before))
	between "$(total)" "$made" "$((made + 30))" 'biostacks: I/O of a command'
	like "$out" '^ +vmlinux`vfs_write' 'biostacks: the stack'
	like "$out" '^  dd, usecs$' 'biostacks: the command'
else
	skip biostacks "no loop device: $disk"
fi

# ---- wakeuptime, offwaketime: a reader that waits five times for a writer ----
cat >pair.pl <<'E2'
pipe my $r, my $w;
sub name { open my $f, ">", "/proc/self/comm"; syswrite $f, shift }
if (!fork) { name "writer"; for (1 .. 5) { select undef, undef, undef, 0.1; syswrite $w, "x" } exit }
name "reader";
sysread $r, my $x, 1 for 1 .. 5;
E2
# The sums of the rows with this target and waker whose stack has a function.
slept() { # FUNCTION
	printf '%s\n' "$out" | awk -v f="$1" '/^ +waker: / && $2 == "writer" { writer = 1 } $0 ~ f { on = 1 }
		/^ +target: / && $2 == "reader" { reader = 1 } /^ +[0-9]+$/ { if (reader && writer && on) n += $1 }
		/^$/ && last { reader = writer = on = 0 } { last = $0 ~ /^ +[0-9]+$/ } END { print n + 0 }'
}
run "$DTR" wakeuptime -m 20000 -c 'perl pair.pl'
between "$(slept 'pipe_write')" 400000 60000000 'wakeuptime: the time that a reader waited'
run "$DTR" offwaketime -m 20000 -c 'perl pair.pl'
between "$(slept 'pipe_read')" 400000 60000000 'offwaketime: the time that a reader waited'
between "$(slept 'pipe_write')" 400000 60000000 'offwaketime: the stack of the writer'
run "$DTR" offwaketime -M 1000 -c 'perl pair.pl'
between "$(slept 'pipe_read')" 0 5000 'offwaketime -M'
run "$DTR" wakeuptime -u 300ms
is "$status" 0 'wakeuptime: a duration'

# ---- capable: each chown() asks for CAP_CHOWN ----
run "$DTR" capable -c "perl -e 'open F, \">\", \"own\"; \$n += chown \$_, -1, \"own\" for 1 .. 5;
	print \"owned=\$n\\n\"'"
if printf '%s\n' "$err" | grep -q 'cap_capable does not match'; then
	skip capable 'this kernel has no tracepoint for capabilities'
else
	is "$(printf '%s\n' "$out" | grep -c ' perl  *0  *CAP_CHOWN  *0$')" "$(value owned)" 'capable: CAP_CHOWN'
	unlike "$out" CAP_SYS_ADMIN 'capable: no checks of the size of memory'
	run "$DTR" capable -v -K -c true
	like "$out" 'CAP_SYS_ADMIN' 'capable -v: checks of the size of memory'
	like "$out" '^ +vmlinux`security_vm_enough_memory_mm' 'capable -K: the stack'
	run "$DTR" capable --failed -c "perl -e 'open F, \">\", \"own\"; \$> = 1; \$n += !chown 0, -1, *F for 1 .. 3;
		print \"refused=\$n\\n\"'"
	is "$(printf '%s\n' "$out" | grep -c ' perl  *0  *CAP_CHOWN  *-1$')" "$(value refused)" 'capable --failed'
fi

# ---- oomkill: in a control group with little memory, which counts its kills ----
group=
for dir in /sys/fs/cgroup/memory /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ -n "$group" ] || ! grep -qsw memory $dir/cgroup.subtree_control "$dir/cgroup.controllers" &&
		[ ! -e $dir/memory.limit_in_bytes ] || [ -n "$group" ] || ! mkdir "$dir/dtr-oom-$$" 2>/dev/null ||
		group=$dir/dtr-oom-$$
done
limit=$group/memory.max kills=$group/memory.events
[ -e "$limit" ] || limit=$group/memory.limit_in_bytes kills=$group/memory.oom_control
if [ -n "$group" ] && echo 20M >"$limit" 2>/dev/null; then
	[ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
	cat >big.sh <<E2
echo \$\$ >$group/cgroup.procs && exec perl -e '\$x = "x" x 300_000_000; \$y = \$x . \$x'
E2
	run "$DTR" oomkill -c "sh -c 'sh big.sh; sh big.sh; true'"
	line='Triggered by PID \([0-9]*\) ("perl"), OOM kill of PID \1 ("perl"), [0-9]* pages$'
	is "$(printf '%s\n' "$out" | grep -c "$line")" \
		"$(sed -n 's/^oom_kill //p' "$kills")" 'oomkill: as the control group counts'
	between "$(printf '%s\n' "$out" | sed -n 's/.* \([0-9]*\) pages$/\1/p' | head -n 1)" 5000 400000 \
		'oomkill: pages'
else
	skip oomkill 'no control group for memory'
fi
[ -z "$group" ] || rmdir "$group"
done_testing
