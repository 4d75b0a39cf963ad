# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# fbt: calls of kernel functions by a program that makes a known number of them.
. "$SRC/tests/lib/tap.sh"
need_kernel
known=$here/tests/kernel/known
if ! [ -d /sys/bus/event_source/devices/kprobe ]; then
	run "$DTR" -e -n 'fbt::vfs_read:entry'
	like "$status:$err" '^1:.*does not match any probes: this kernel has no kprobes' 'a kernel without kprobes'
	run "$DTR" -e -n '::vfs_read:entry'
	like "$status:$err" '^1:.*does not match any probes' 'also without the name of the provider'
	run "$DTR" -e -Zn 'fbt:::'
	is "$status:$err" 0: '-Z: nothing needs to match'
	skip 'functions of the kernel' 'this kernel has no kprobes'
	done_testing
	exit
fi

# ---- counts ----
counts() { # NAME SCRIPT WANT
	run "$DTR" -qn "$2" -c "$known"
	is "$(printf '%s\n' "$out" | grep -a '^>')$err" "> $3" "$1"
}
counts 'entries and returns' 'fbt::__x64_sys_getppid:entry /pid == $target/ { @e = count(); }
	fbt::__x64_sys_getppid:return /pid == $target/ { @r = count(); }
	END { printa("> %@d %@d\n", @e, @r); }' '1000 1000'
counts 'patterns' 'inline int wanted = probefunc == "__x64_sys_getppid" || probefunc == "__x64_sys_sched_yield";
	fbt::__x64_sys_getpp*:entry, fbt::__x64_sys_sched_yi*:entry /progenyof($target) && wanted/ { @ = count(); }
	END { printa("> %@d\n", @); }' 1030
counts 'each pair in its thread' 'fbt::__x64_sys_getppid:entry /pid == $target/ { self->since = timestamp; }
	fbt::__x64_sys_getppid:return /self->since/ { @ = count(); self->since = 0; }
	END { printa("> %@d\n", @); }' 1000
run "$DTR" -qn 'fbt::__x64_sys_getppid:return /pid == $target/ { @[arg1 == $pid, args[1] == $pid, arg0] = count(); }
	END { printa("> %d %d %d %@d\n", @); }' -c "$known"
is "$(printf '%s\n' "$out" | grep '^>')" '> 1 1 0 1000' 'arg1 and args[1] are the result, arg0 is 0'

# ---- arguments ----
run "$DTR" -qn 'fbt::do_sys_openat2:entry /pid == $target/ {
	printf("> %s %d\n", copyinstr((uint64_t)args[1]), (int)arg0 == args[0]); }' \
	-c "sh -c ': <$SRC/README.md'"
like "$out" "^> $SRC/README.md 1$" 'typed arguments'
run "$DTR" -qn 'fbt::vfs_open:entry /pid == $target/ { printf("> %s\n", stringof(args[0]->dentry->d_name.name)); }' \
	-c "sh -c ': <$SRC/README.md'"
like "$out" '^> README.md$' 'members of structures'
run "$DTR" -lvn 'fbt::vfs_open:return'
like "$out" 'args\[1\]: int$' '-lv: the type of the result'

# ---- stacks ----
run "$DTR" -qn 'fbt::vfs_open:entry /pid == $target/ { stack(); exit(0); }' -c "sh -c ': <$SRC/README.md'"
like "$(printf '%s\n' "$out" | head -n 2)" '^ +vmlinux.vfs_open' 'stack() begins with the function'
like "$out" '^ +vmlinux.do_syscall_64' 'and ends with the system call'
run "$DTR" -Fn 'fbt::ksys_read:, fbt::vfs_read: /pid == $target/' -c "sh -c 'read -r a <$SRC/README.md'"
like "$out" '  -> ksys_read' 'flowindent: entry'
like "$out" '    -> vfs_read' 'a function inside'

# ---- names ----
run "$DTR" -ln 'fbt::vfs_*:entry'
between "$(printf '%s\n' "$out" | grep -c ' vfs_.* entry$')" 20 1000 '-l with a pattern'
run "$DTR" -ln 'fbt:vmlinux:vfs_read:'
is "$(printf '%s\n' "$out" | awk '{ print $3, $4, $5 }' | tail -n 2)" 'vmlinux vfs_read entry
vmlinux vfs_read return' '-l of a function'
run "$DTR" -e -n 'fbt::vfs_raed:entry'
like "$status:$err" "^1:.*did you mean 'fbt::vfs_read:entry'" 'a similar name'
run "$DTR" -e -n 'fbt::do_syscall_64:entry'
like "$status:$err" '^1:.*the kernel does not let the function do_syscall_64 be traced' 'a function of the tracing'
run "$DTR" -e -n 'fbt:nosuch::entry'
like "$status:$err" '^1:.*does not match any probes' 'a module that is not there'
done_testing
