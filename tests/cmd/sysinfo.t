# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# sysinfo compared with the kernel's counts of a process (/proc/PID/io, getrusage, /proc/PID/sched) and of the machine.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1
said() { printf '%s\n' "$out" | awk -v n="$1" '$1 == n { print $2 }'; }
traced() { awk -v n="$1" '$1 == n { print $2 }' d; }

# ---- known calls of a program ----
cat >activity.d <<'EOF'
int on;
syscall::getppid:entry /pid == $target/ { on = !on; }
sysinfo:::pswitch, sysinfo:::inv_swtch, sysinfo:::cpumigrate
/on && tid == $target/ { @n[probename] = sum(arg0); }
sysinfo:::[!pic]* /on && pid == $target/ { @n[probename] = sum(arg0); }
END { printa("%s %@d\n", @n); }
EOF
run "$DTR" -q -o d -s activity.d -c "$here/tests/kernel/activity file"
is "$status:$err" '0:' 'all probes, by patterns'
for probe in readch writech sysread syswrite sysfork sysvfork nthreads sema msg; do
	same "$(traced $probe)" "$(said $probe)" "$probe: $(said $probe)"
done
# the program may be preempted or moved between reading the kernel's count and the call that begins tracing
for probe in pswitch inv_swtch cpumigrate; do
	n=$(said $probe) got=$(traced $probe)
	if [ -n "$n" ]; then
		between "${got:-0}" $((n - 5)) "$n" "$probe: at most $n, less those outside"
	else
		skip $probe 'the kernel does not count it'
	fi
done
between "$(traced trap)" 5 10000 'trap: at least the first page faults of children'

run "$DTR" -qn 'sysinfo:::idlethread /pid/ { @ = count(); } END { printa("%@d", @); }' -c 'sleep 0.1'
is "$status:$out:$err" '0::' 'idlethread: in the idle thread only'
run "$DTR" -qn 'sysinfo:::sysexec /pid == $target || ppid == $target/ { @ = count(); } END { printa("%@d", @); }' \
	-c "sh -c '/bin/true; exec /bin/true'"
is "$out" 2 'sysexec: programs that a shell executes'

# ---- a disk of the test ----
truncate -s 16M image
if disk=$(losetup -f --show image 2>&1); then
	trap 'losetup -d "$disk"; tap_cleanup' EXIT
	disk_io() { # ARGUMENTS of dd
		run "$DTR" -qn 'sysinfo:::bread, sysinfo:::phread, sysinfo:::bwrite, sysinfo:::phwrite
			/pid == $target/ { @[probename] = sum(arg0); } END { printa("%s=%@d ", @); }' -c "dd $1"
	}
	disk_io "if=$disk of=/dev/null bs=64k count=50 iflag=direct"
	like "$out" '(^| )phread=50 ' 'direct reads'
	disk_io "if=/dev/zero of=$disk bs=64k count=40 oflag=direct"
	like "$out" '(^| )phwrite=40 ' 'direct writes'
	disk_io "if=$disk of=/dev/null bs=64k count=10"
	like "$out" '^bread=[0-9]+ $' 'reads of the page cache'
	disk_io "if=/dev/zero of=$disk bs=64k count=10 conv=fsync"
	like "$out" '(^| )bwrite=[0-9]+ ' 'writes of the page cache'
else
	skip 'disks' "no loop device: $disk"
fi

# ---- the machine's counters ----
# Switches of all CPUs; calls of functions on other CPUs (an interrupt can be for several).
before=$(awk '$1 == "ctxt" { print $2 }' /proc/stat)
run "$DTR" -qn 'sysinfo:::pswitch, sysinfo:::xcalls { @[probename] = sum(arg0); } END { printa("%s %@d\n", @); }' \
	-c "sh -c 'cat /proc/stat /proc/interrupts >from; for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done;
	cat /proc/stat /proc/interrupts >to'"
after=$(awk '$1 == "ctxt" { print $2 }' /proc/stat)
count() { awk -v f="$1" '$1 == f { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' "$2"; }
inside() { echo $(($(count "$1" to) - $(count "$1" from))); }
# switches away from a thread that cannot be traced (of the virtual machine's first process) are not seen
between "$(said pswitch)" $(($(inside ctxt) / 2)) $((after - before)) 'pswitch: the switches in /proc/stat'
n=$(said xcalls)
between "${n:-0}" $(($(inside CAL:) + $(inside TLB:) - 10)) 1000000 'xcalls: at least the interrupts'

# ---- scripts of the guide ----
run "$DTR" -n 'sysinfo:::readch { @[execname] = quantize(arg0); }' -c "dd if=/dev/zero of=/dev/null bs=512 count=100"
like "$out" '^ +512 \|@+ +10[0-9] ' 'bytes of reads, by name'
run "$DTR" -n 'sysinfo:::pswitch /pid != 0/ { @[execname, pid] = count(); }
	sysinfo:::xcalls { @x[stack(3)] = count(); }' -c 'sleep 0.1'
is "$status" 0 'who is switched from, and stacks of cross-calls'

# ---- names ----
run "$DTR" -l -n 'sysinfo:::sys*'
is "$(printf '%s\n' "$out" | grep -c ' sysinfo ')" 5 'patterns of names'
run "$DTR" -e -n 'sysinfo:::namei'
like "$status:$err" '^1:.*fbt::filename_lookup:entry' 'a probe without a tracepoint: another probe'
run "$DTR" -e -n 'sysinfo:unix:idle_enter:idlethread, vminfo:genunix:pageio_setup:pgpgin, vminfo:genunix::zfod'
is "$status:$err" 0: 'functions and modules of another system'
run "$DTR" -e -n 'sysinfo:::'
is "$status:$err" 0: 'all probes exist on this kernel'
done_testing
