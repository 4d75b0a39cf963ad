/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "memory that programs allocate and do not free, by stack"
#pragma dtr usage "[-T STACKS] [-z BYTES] [-s FILE] [-p PID | -c COMMAND] [INTERVAL [COUNT]]"
#pragma dtr about "Prints the bytes and the number of allocations that were made while tracing and are not freed, for"
#pragma dtr more "each stack that called malloc(), calloc(), realloc(), memalign(), aligned_alloc() or"
#pragma dtr more "posix_memalign(); most bytes last. Each call costs the program some microseconds. With -p or -c"
#pragma dtr more "only that process and the children that it creates from then on are traced, otherwise all"
#pragma dtr more "processes."
#pragma dtr option -T stacks $1 "at the end, print at most this many stacks (default: 10)"
#pragma dtr option -z count:BYTES $2 "only allocations of at least this size"
#pragma dtr option -s file $3 "the program or library with malloc(): a path, or a name (default: libc)"
#pragma dtr operand [period:INTERVAL] $4 "print after this time, too: 2 (seconds), 500ms"
#pragma dtr operand [count] $5 "end after so many intervals"
#pragma D option quiet
#pragma D option tailreturn
#pragma D option defaultargs
#pragma D option argdefaults=10,0,libc,100d,0
#pragma D option followfork
#pragma D option aggnonzero
#pragma D option aggsortonly
#pragma D option dynvarsize=64m
#pragma D option aggsize=16m

self uint64_t sp, size, stack, old, out;
uint64_t sizes[int, uint64_t], stacks[int, uint64_t];

pid*:$3:malloc:entry /!self->sp/ { self->size = arg0; }
pid*:$3:calloc:entry /!self->sp/ { self->size = arg0 * arg1; }
pid*:$3:realloc:entry /!self->sp/ { self->size = arg1; self->old = arg0; }
pid*:$3:memalign:entry, pid*:$3:aligned_alloc:entry /!self->sp/ { self->size = arg1; }
pid*:$3:posix_memalign:entry /!self->sp/ { self->size = arg2; self->out = arg0; }

/* One of these functions may call another one: the outermost counts. */
pid*:$3:malloc:entry, pid*:$3:calloc:entry, pid*:$3:realloc:entry, pid*:$3:memalign:entry,
pid*:$3:aligned_alloc:entry, pid*:$3:posix_memalign:entry
/!self->sp/
{
	self->sp = uregs[R_SP];
	self->stack = ustackid();
}

pid*:$3:malloc:return, pid*:$3:calloc:return, pid*:$3:realloc:return, pid*:$3:memalign:return,
pid*:$3:aligned_alloc:return, pid*:$3:posix_memalign:return
/self->sp && uregs[R_SP] >= self->sp/
{
	this->p = !self->out ? arg1 : arg1 ? 0 : *(userland uint64_t *)self->out;
	if (this->p && self->old && sizes[pid, self->old]) {
		@bytes[ustackof(stacks[pid, self->old])] = sum(-(int64_t)sizes[pid, self->old]);
		@number[ustackof(stacks[pid, self->old])] = sum(-1);
		sizes[pid, self->old] = stacks[pid, self->old] = 0;
	}
	if (this->p && self->size >= $2) {
		sizes[pid, this->p] = self->size;
		stacks[pid, this->p] = self->stack;
		@bytes[ustackof(self->stack)] = sum((int64_t)self->size);
		@number[ustackof(self->stack)] = sum(1);
	}
	self->sp = self->old = self->out = 0;
}

pid*:$3:free:entry
/arg0 && sizes[pid, arg0]/
{
	@bytes[ustackof(stacks[pid, arg0])] = sum(-(int64_t)sizes[pid, arg0]);
	@number[ustackof(stacks[pid, arg0])] = sum(-1);
	sizes[pid, arg0] = stacks[pid, arg0] = 0;
}

tick-$4 /!$5 || printed < $5/ { printed++; printf("%Y not freed, by stack:\n", walltimestamp); }
END { trunc(@bytes, $1); printf("%Y not freed, by stack:\n", walltimestamp); }
tick-$4, END { printa("\t%@d bytes in %@d allocations from stack%k\n", @bytes, @number); }
tick-$4 /printed == $5/ { exit(0); }
