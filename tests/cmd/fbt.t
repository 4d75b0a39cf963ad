# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# fbt: calls of kernel functions by a program that makes a known number of them.
. "$SRC/tests/lib/tap.sh"
known_calls
need_kernel
known=$here/tests/kernel/known
if ! [ -d /sys/bus/event_source/devices/kprobe ]; then
	run "$DTR" -e -n 'fbt::vfs_read:entry'
	like "$status:$err" '^1:.*does not match any probes: this kernel has no kprobes' 'a kernel without kprobes'
	like "$err" 'CONFIG_KPROBES\)($|, and a security policy refuses fentry programs \(EPERM\))' 'and why'
	run "$DTR" -e -n '::vfs_read:entry'
	like "$status:$err" '^1:.*does not match any probes: fbt: this kernel has no kprobes' \
		'also without the name of the provider'
	run "$DTR" -l -f vfs_read
	like "$status:$err" '^1:.*no probe matches this description: fbt: this kernel has no kprobes' 'and -l -f'
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

# ---- a program that makes the kernel call functions a known number of times ----
functions=$here/tests/kernel/functions
exactly() { # NAME SCRIPT WANT: what it prints after '>'
	run "$DTR" -qn "$2" -c "${4:-$functions}"
	is "$(printf '%s\n' "$out" | grep -a '^>')$err" "> $3" "$1"
}
exactly 'arguments select calls, results count errors' '
	fbt::do_sys_openat2:entry /pid == $target && args[0] == -77/ { @entry = count(); self->mine = 1; }
	fbt::do_sys_openat2:return /self->mine/ { @[args[1]] = count(); self->mine = 0; }
	END { printa("> %@d", @entry); printa(" %d %@d\n", @); }' '40 -9 40'
exactly 'mappings' 'fbt::ksys_mmap_pgoff:entry /pid == $target && args[1] == 77 * 4096/ { @ = count(); }
	END { printa("> %@d\n", @); }' 30
exactly 'page faults' 'fbt::handle_mm_fault:entry
	/pid == $target && args[1] >= 3ull << 44 && args[1] < (3ull << 44) + 64 * 4096/ { @ = count(); }
	END { printa("> %@d\n", @); }' 64
exactly 'a function that calls itself: depth and time of each call' 'self int below; self uint64_t last;
	fbt::ep_loop_check_proc:entry /pid == $target/ { self->depth++; self->since[self->depth] = timestamp; }
	fbt::ep_loop_check_proc:return
	/self->depth/
	{
		this->time = timestamp - self->since[self->depth];
		@calls[self->depth] = count();
		@wrong = sum(self->below == self->depth + 1 && this->time < self->last);
		self->last = this->time;
		self->below = self->depth--;
	}
	END { printf(">"); printa(" %d %@d", @calls); printa(" wrong %@d\n", @wrong); }' '2 50 1 100 wrong 0'
exactly 'a function inside another' '
	fbt::ksys_read:entry /pid == $target/ { self->outer = timestamp; }
	fbt::vfs_read:entry /self->outer/ { self->inner = timestamp; }
	fbt::vfs_read:return /self->inner/ { self->inside = timestamp - self->inner; self->inner = 0; in++; }
	fbt::ksys_read:return /self->outer/ {
		out++;
		wrong += timestamp - self->outer < self->inside;
		self->outer = self->inside = 0;
	}
	END { printf("> %d %d %d\n", in >= 48, out - in, wrong); }' '1 0 0' \
	'dd if=/dev/zero of=/dev/null bs=1 count=48 status=none'
if [ "$(nproc)" -ge 2 ]; then
	exactly 'two CPUs at once' '
		fbt::__x64_sys_getppid:entry /execname == "functions" && progenyof($target)/ { @[cpu] = count(); }
		END { printf(">"); printa(" %d %@d", @); printf("\n"); }' '0 1000 1 1000' \
		"sh -c 'taskset -c 0 $functions & taskset -c 1 $functions; wait'"
else
	skip 'two CPUs at once' 'one CPU'
fi

# ---- modules ----
if grep -q '\[loop\]$' /proc/kallsyms; then
	exactly 'a function of a module, with types of the module' '
		fbt:loop:loop_control_ioctl:entry /args[1] == 0x4c82/ { @ = count(); }
		END { printa("> %@d\n", @); }' 1 'losetup -f'
	run "$DTR" -ln 'fbt:loop::return'
	is "$(printf '%s\n' "$out" | awk 'NR > 1 && ($3 != "loop" || $NF != "return")')" '' 'a pattern of a module'
else
	skip 'functions of a module' 'the loop device is not a module here'
fi

# ---- many functions ----
if grep -q ' register_fprobe$' /proc/kallsyms; then
	skip 'too many functions' 'this kernel attaches all at once'
else
	run "$DTR" -qn 'fbt:vmlinux::entry' -c true
	like "$status:$err" \
		'^1:.*functions: this kernel \(without CONFIG_FPROBE\) attaches them one by one.*4096; a narrower' \
		'too many functions'
fi

# ---- what patterns leave out ----
run "$DTR" -e -n 'fbt::__rcu_read_l*:entry'
like "$status:$err" '^1:.*patterns leave out .*__rcu_read_lock.*name it in full' \
	'functions that programs call themselves'
run "$DTR" -qn 'fbt::__rcu_read_lock:entry /pid == $target/ { n++; } END { trace(n); }' -c "$functions"
between "$out" 1000 100000000 'unless they are named'
case $(uname -r) in
[1-5].* | 6.[0-6].*) skip 'which is reported' 'kernels before 6.7 do not count it' ;;
*) like "$err" '[0-9]+ nested firings' 'which is reported' ;;
esac

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

# ---- a tracer that is killed ----
# Functions whose entries call something, of this name.
called() {
	unshare -m sh -c 'mount -t tracefs none "$0" && grep -c "^do_sys_openat2 " "$0/enabled_functions"' "$work/fs"
}
mkdir "$work/fs"
before=$(called)
"$DTR" -qn 'fbt::do_sys_openat2:entry, fbt::do_sys_openat2:return { @ = count(); } BEGIN { trace("armed"); }' \
	>"$work/killed" 2>&1 &
tracer=$!
wait_for armed "$work/killed"
is "$before $(called)" '0 1' 'a function that is traced'
kill -9 $tracer
wait $tracer 2>/dev/null
none_called() { [ "$(called)" = 0 ]; }
wait_until none_called
is "$(called)" 0 'nothing is left after kill -9'

# ---- names ----
run "$DTR" -ln 'fbt::vfs_*:entry'
between "$(printf '%s\n' "$out" | grep -c ' vfs_.* entry$')" 20 1000 '-l with a pattern'
run "$DTR" -ln 'fbt:vmlinux:vfs_read:'
is "$(printf '%s\n' "$out" | awk '{ print $3, $4, $5 }' | tail -n 2)" 'vmlinux vfs_read entry
vmlinux vfs_read return' '-l of a function'
run "$DTR" -e -n 'fbt::vfs_raed:entry'
like "$status:$err" "^1:.*did you mean 'fbt::vfs_read:entry'" 'a similar name'
run "$DTR" -qn 'fbt::do_syscall_64:entry' -c true
like "$status:$err" '^1:.*: the kernel does not let the function do_syscall_64 be traced' 'a function of the tracing'
run "$DTR" -qn 'fbt::do_syscall_64:entry, fbt::vfs_read:entry' -c true
like "$status:$err" '^1:.*the kernel does not let the function do_syscall_64 be traced' 'also beside others'
run "$DTR" -ln 'fbt::do_syscall_64:entry'
like "$status:$err" '^1:.*the kernel does not let the function do_syscall_64 be traced' '-l'
run "$DTR" -e -n 'fbt:nosuch::entry'
like "$status:$err" '^1:.*does not match any probes' 'a module that is not there'
done_testing
