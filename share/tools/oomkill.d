/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "processes that the kernel kills because memory is exhausted"
#pragma dtr usage ""
#pragma dtr about "Prints a line for each process that the kernel kills because memory, or that of a control group,"
#pragma dtr more "is exhausted: date and time, the process in which memory was exhausted, the one that is killed,"
#pragma dtr more "and the pages of 4 KB of its address space."
#pragma D option quiet

self uint64_t victim;
inline struct task_struct *victim = (struct task_struct *)self->victim;

proc:::signal-send	/* just before mark_victim, which in kernels before 6.9 has only the number of the process */
/args[2] == SIGKILL/
{
	self->victim = arg0;
}

sdt:::mark_victim
/self->victim/
{
	printf("%Y Triggered by PID %d (\"%s\"), OOM kill of PID %d (\"%s\"), %d pages\n", walltimestamp, pid, execname,
	    victim->tgid, stringof(victim->comm), victim->mm ? victim->mm->total_vm : 0);
	self->victim = 0;
}
