/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who leaves a CPU, who comes, what was done with signals: what needs no memory of the kernel. */
#pragma D option quiet
int waker[uint64_t];

sched:::off-cpu
{
	self->left = timestamp;
	printf("%d on %d leaves to 0x%x 0x%x\n", tid, cpu, arg0, arg1);
	@left[execname] = count();
}

sched:::off-cpu
/waker[arg0]/
{
	printf("it was woken by %d\n", waker[arg0]);
	waker[arg0] = 0;
}

sched:::wakeup
{
	waker[arg0] = pid;
}

proc:::exec-success, proc:::lwp-exit
{
	printf("%s: %s %d\n", probename, execname, pid);
}

proc:::signal-send
{
	printf("%s sends %d to 0x%x\n", execname, args[2], arg0);
}

proc:::signal-discard
{
	printf("which is discarded: %d\n", args[2]);
}

END
{
	printa("%s %@d\n", @left);
}
