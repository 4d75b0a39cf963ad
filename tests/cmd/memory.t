# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Memory on this kernel: of processes, of the kernel by variable and by pointer, scratch memory; locks and ancestors.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1

# BEGIN runs in dtr: dtr's arguments are memory of the current process.
run "$DTR" -qn 'BEGIN { this->a = curthread->mm->arg_start; printf("%s\n", copyinstr(this->a));
	this->p = (char *)copyin(this->a, curthread->mm->arg_end - this->a); printf("%s\n", stringof(this->p));
	printf("%s %c\n", stringof((userland char *)this->a), *(userland char *)this->a); exit(0); }'
is "$out" "$DTR
$DTR
$DTR $(printf %.1s "$DTR")" 'three ways to read the memory of the process'

run "$DTR" -qn 'struct head { char first[4]; }; BEGIN { this->h = (userland struct head *)curthread->mm->arg_start;
	print(*this->h); print(this->h); print(this->h->first); exit(0); }'
is "$status:$(printf '%s\n' "$out" | grep -c "\"$(printf %.4s "$DTR")\"")" 0:2 \
	'print() of a structure in the process and of its member'
like "$out" "\(char\)'$(printf %.1s "$DTR")'," 'print() of a pointer to it'

# A page that is not there is a fault with its address.
run "$DTR" -qn 'BEGIN { copyinstr(8); } ERROR { printf("%d %x", arg4, arg5); exit(0); }'
is "$out" '1 8' 'an unmapped address is a fault'

# Kernel structures, copied as a whole.
if with_bpf 'of struct task_struct only some members are known' && if_can 'a variable holds a task_struct' types; then
	run "$DTR" -qn 'BEGIN { this->t = *curthread; printf("%d %d %s", this->t.pid == tid, this->t.tgid == pid,
		this->t.comm); exit(0); }'
	! if_can 'a variable holds a task_struct' initial_pids ||
		is "$out" "1 1 $(basename "$DTR")" 'a variable holds a task_struct'
fi
run "$DTR" -qn 'BEGIN { printf("%d %d %d", progenyof($pid), progenyof(ppid), progenyof(1 << 30)); exit(0); }'
is "$out" '1 1 0' 'progenyof()'
if with_bpf 'locks of the kernel' && if_can 'functions of locks' types; then
# A reader of /proc/PID/cmdline holds mmap_lock for a moment.
for tap_try in 1 2 3 4 5 6 7 8 9 10; do
	run "$DTR" -qn 'BEGIN { this->l = &curthread->mm->mmap_lock; this->m = &curthread->signal->cred_guard_mutex;
		printf("%d %d %d %d %d", rw_read_held(this->l), rw_write_held(this->l), rw_iswriter(this->l),
		mutex_owned(this->m),
		mutex_owner(this->m) == NULL); exit(0); }'
	[ "$out" != '1 0 0 0 1' ] || continue
	break
done
is "$out" '0 0 0 0 1' 'functions of locks report free locks'
fi

# Symbols: functions always have addresses, variables only on kernels that expose them.
text=$(awk '$3 == "_stext" { print $1; exit }' /proc/kallsyms)
run "$DTR" -qn 'BEGIN { printf("%016x", (uint64_t)&`_stext); exit(0); }'
if [ "$text" = 0000000000000000 ]; then
	like "$err" 'kernel hides its addresses' 'the address of a symbol is hidden: the error says so'
else
	is "$out" "$text" 'the address of a symbol'
fi
run "$DTR" -qn 'uint64_t first; BEGIN { first = `jiffies; } tick-100ms { exit(0); } END { printf("%d %d", first > 0,
	`jiffies - first >= 5); }'
is "$status:$out" '0:1 1' 'jiffies advances'
run "$DTR" -n 'BEGIN { trace(`no_such_symbol_anywhere); }'
is "$status" 1 'an unknown symbol is an error'
like "$err" 'failed to resolve `no_such_symbol_anywhere' 'the error names the symbol'
if [ "$text" = 0000000000000000 ]; then
	skip 'kernel variables' 'the kernel hides their addresses'
elif ! grep -q ' init_task$' /proc/kallsyms; then
	run "$DTR" -n 'BEGIN { trace(`max_pfn); }'
	like "$err" 'does not expose variable addresses' 'the error says why a variable is not available'
elif with_bpf 'variables of the kernel'; then
	run "$DTR" -qn 'BEGIN { this->i = (struct task_struct *)&`init_task;
		printf("%d %s %d", this->i->pid, this->i->comm, `cpu_number == cpu); exit(0); }'
	is "$out" '0 swapper/0 1' 'kernel variables and per-CPU variables'
fi

# A fault in the middle of a clause discards its record; the next clause runs.
run "$DTR" -qn 'BEGIN { printf("lost"); alloca(pid << 20); } BEGIN { printf("kept"); exit(0); }'
is "$out" kept 'a clause without enough scratch memory prints nothing'
like "$err" 'out of scratch space in action #2' 'too little scratch memory is a fault'

run "$DTR" -n 'BEGIN { tracemem(curthread->comm, 3); exit(0); }'
like "$out" '0: [0-9a-f ]{8} ' 'tracemem()'

# Variables as arguments of functions that dereference pointers; accesses beyond them and beyond scratch memory.
if if_can 'D arrays as arguments' types; then	# in6_addr_t
	is_golden 'Variables as arguments of functions'
fi
if with_bpf 'paths and locks of the kernel' && if_can 'copies of structures as arguments' types; then
	run "$DTR" -qn 'struct lock { int n; struct mutex m; } v; BEGIN {
		this->p = (struct path *)alloca(sizeof (struct path));
		bcopy(&curthread->fs->pwd, this->p, sizeof (struct path)); this->f = *curthread->fs;
		printf("%d %d %d %d", d_path(this->p) == cwd, d_path(&this->f.pwd) == cwd, mutex_owner(&v.m) == NULL,
		mutex_owned(&v.m));
		printf(" %d %d", mutex_type_adaptive(&v.m), mutex_type_spin(&v.m));
		exit(0); }'
	is "$out" '1 1 1 0 1 0' 'copies of structures as arguments'
fi

# Writing to a process: works if the kernel permits it; otherwise the error says what is missing.
run "$DTR" -w -qn 'BEGIN { this->a = curthread->mm->arg_start; copyoutstr("hello", this->a, 4);
	copyout((char *)copyin(this->a, 2), this->a + 4, 2); printf("%.6s", copyinstr(this->a)); exit(0); }'
# without the kernel's types, this process does
if [ "${DTR_OPT_ENGINE:-}" = user ] || ! types || "$here/tests/kernel/can_bpf" write; then
	is "$status:$out" 0:hellhe 'copyoutstr() and copyout()'
	run "$DTR" -w -qn 'char a[4]; BEGIN { this->a = curthread->mm->arg_start; a[1] = 65; a[2] = 66;
		copyout("xyz", this->a, 3);
		copyout(&a[1], this->a + 1, 2); printf("%.3s", copyinstr(this->a)); exit(0); }'
	is "$out" xAB 'copyout() of a string and of an array'
else
	like "$status:$err" \
		'^1:.*: line 1: copyout\( \) and copyoutstr\( \): this kernel does not allow BPF programs to write to '\
'the memory of processes \(.+\)$' \
		'the error says that the kernel does not permit writing to processes'
	unlike "$err" 'bpf_probe_write_user|^[0-9]+: \(' 'the error does not contain the verifier log'
fi
done_testing
