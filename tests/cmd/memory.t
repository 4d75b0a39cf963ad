# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Memory on this kernel: processes', the kernel's by variable and by pointer, scratch memory, locks, ancestors.
. "$SRC/tests/lib/tap.sh"
need_kernel
cd "$work" || exit 1

# BEGIN runs in dtr itself: its own arguments are memory of the current process.
run "$DTR" -qn 'BEGIN { this->a = curthread->mm->arg_start; printf("%s\n", copyinstr(this->a));
	this->p = (char *)copyin(this->a, curthread->mm->arg_end - this->a); printf("%s\n", stringof(this->p));
	printf("%s %c\n", stringof((userland char *)this->a), *(userland char *)this->a); exit(0); }'
is "$out" "$DTR
$DTR
$DTR $(printf %.1s "$DTR")" 'the memory of the process, three ways'

run "$DTR" -qn 'struct head { char first[4]; }; BEGIN { this->h = (userland struct head *)curthread->mm->arg_start;
	print(*this->h); print(this->h); print(this->h->first); exit(0); }'
is "$status:$(printf '%s\n' "$out" | grep -c "\"$(printf %.4s "$DTR")\"")" 0:2 \
	'print() of a structure of the process, of a member'
like "$out" "\(char\)'$(printf %.1s "$DTR")'," 'of a pointer to it'

# A page that is not there is a fault with its address.
run "$DTR" -qn 'BEGIN { copyinstr(8); } ERROR { printf("%d %x", arg4, arg5); exit(0); }'
is "$out" '1 8' 'an address that nothing is mapped at'

# Pointers and structures of the kernel, copied as a whole.
if with_bpf 'of struct task_struct only some members are known'; then
	run "$DTR" -qn 'BEGIN { this->t = *curthread; printf("%d %d %s", this->t.pid == tid, this->t.tgid == pid,
		this->t.comm); exit(0); }'
	is "$out" "1 1 $(basename "$DTR")" 'a task_struct as a variable'
fi
run "$DTR" -qn 'BEGIN { printf("%d %d %d", progenyof($pid), progenyof(ppid), progenyof(1 << 30)); exit(0); }'
is "$out" '1 1 0' 'progenyof()'
if with_bpf 'locks of the kernel'; then
# Whoever reads /proc/PID/cmdline takes mmap_lock for a moment.
for tap_try in 1 2 3 4 5 6 7 8 9 10; do
	run "$DTR" -qn 'BEGIN { this->l = &curthread->mm->mmap_lock; this->m = &curthread->signal->cred_guard_mutex;
		printf("%d %d %d %d %d", rw_read_held(this->l), rw_write_held(this->l), rw_iswriter(this->l),
		mutex_owned(this->m),
		mutex_owner(this->m) == NULL); exit(0); }'
	[ "$out" != '1 0 0 0 1' ] || continue
	break
done
is "$out" '0 0 0 0 1' 'locks that nobody holds'
fi

# Symbols: functions are everywhere, variables only where the kernel tells their addresses.
text=$(awk '$3 == "_stext" { print $1; exit }' /proc/kallsyms)
run "$DTR" -qn 'BEGIN { printf("%016x", (uint64_t)&`_stext); exit(0); }'
if [ "$text" = 0000000000000000 ]; then
	like "$err" 'kernel hides its addresses' 'the address of a symbol is hidden'
else
	is "$out" "$text" 'the address of a symbol'
fi
run "$DTR" -qn 'uint64_t first; BEGIN { first = `jiffies; } tick-100ms { exit(0); } END { printf("%d %d", first > 0,
	`jiffies - first >= 5); }'
is "$status:$out" '0:1 1' 'jiffies, of which some pass in 100 ms'
run "$DTR" -n 'BEGIN { trace(`no_such_symbol_anywhere); }'
is "$status" 1 'a symbol that there is not'
like "$err" 'failed to resolve `no_such_symbol_anywhere' 'and which'
if [ "$text" = 0000000000000000 ]; then
	skip 'variables' 'the kernel hides their addresses'
elif ! grep -q ' init_task$' /proc/kallsyms; then
	run "$DTR" -n 'BEGIN { trace(`max_pfn); }'
	like "$err" 'does not expose variable addresses' 'why a variable cannot be had'
elif with_bpf 'variables of the kernel'; then
	run "$DTR" -qn 'BEGIN { this->i = (struct task_struct *)&`init_task;
		printf("%d %s %d", this->i->pid, this->i->comm, `cpu_number == cpu); exit(0); }'
	is "$out" '0 swapper/0 1' 'variables: of the kernel, of this CPU'
fi

# A fault in the middle of a clause leaves nothing of its record; the next clause runs.
run "$DTR" -qn 'BEGIN { printf("lost"); alloca(pid << 20); } BEGIN { printf("kept"); exit(0); }'
is "$out" kept 'no scratch memory'
like "$err" 'out of scratch space in action #2' 'is a fault'

run "$DTR" -n 'BEGIN { tracemem(curthread->comm, 3); exit(0); }'
like "$out" '0: [0-9a-f ]{8} ' 'tracemem()'

# Variables as arguments of functions that follow a pointer; accesses outside of them and of scratch memory.
run "$DTR" -s "$SRC/tests/golden/var_args.d"
is "$out" "$(cat "$SRC/tests/golden/var_args.out")" 'D arrays as arguments'
is "$(echo "$err" | grep -c 'invalid address')" "$(grep -c 'invalid address' "$SRC/tests/golden/var_args.err")" \
	'and beyond their ends'
if with_bpf 'paths and locks of the kernel'; then
	run "$DTR" -qn 'struct lock { int n; struct mutex m; } v; BEGIN {
		this->p = (struct path *)alloca(sizeof (struct path));
		bcopy(&curthread->fs->pwd, this->p, sizeof (struct path)); this->f = *curthread->fs;
		printf("%d %d %d %d", d_path(this->p) == cwd, d_path(&this->f.pwd) == cwd, mutex_owner(&v.m) == NULL,
		mutex_owned(&v.m));
		printf(" %d %d", mutex_type_adaptive(&v.m), mutex_type_spin(&v.m));
		exit(0); }'
	is "$out" '1 1 1 0 1 0' 'copies of structures as arguments'
fi

# Writing to a process: where the kernel allows it, it is done; else the refusal says what is missing.
run "$DTR" -w -qn 'BEGIN { this->a = curthread->mm->arg_start; copyoutstr("hello", this->a, 4);
	copyout((char *)copyin(this->a, 2), this->a + 4, 2); printf("%.6s", copyinstr(this->a)); exit(0); }'
if [ "${DTR_OPT_ENGINE:-}" = user ] || "$here/tests/kernel/can_bpf" write; then
	is "$status:$out" 0:hellhe 'copyoutstr(), copyout()'
	run "$DTR" -w -qn 'char a[4]; BEGIN { this->a = curthread->mm->arg_start; a[1] = 65; a[2] = 66;
		copyout("xyz", this->a, 3);
		copyout(&a[1], this->a + 1, 2); printf("%.3s", copyinstr(this->a)); exit(0); }'
	is "$out" xAB 'copyout() of a string, of an array'
else
	like "$status:$err" \
		'^1:.*: line 1: copyout\( \) and copyoutstr\( \): this kernel does not allow BPF programs to write to '\
'the memory of processes \(.+\)$' \
		'the kernel refuses to write to processes'
	unlike "$err" 'bpf_probe_write_user|^[0-9]+: \(' 'without what the verifier says'
fi
done_testing
