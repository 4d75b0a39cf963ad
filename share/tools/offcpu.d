/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * offcpu - where threads wait: time off the CPU, by stack
 *
 * usage: dtr offcpu [-i PERIOD] [-m US] [--asleep] [-p PID | -c COMMAND]
 *
 * The time from the moment when a thread leaves its CPU to the moment when it runs again, in microseconds, and how often, by
 * process and by the stacks, of the kernel and the process, with which it left. The longest waits come last. A wait that
 * does not end while tracing is not in it. With -p or -c only that process and its descendants are seen.
 *
 *   -i PERIOD = $1	print and start anew once a period: 2 (seconds), 500ms; otherwise only at the end
 *   -m US = $2		only waits of so many microseconds at least
 *   --asleep = $3=1	only threads that sleep, not those that lose their CPU to others and could go on
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1d

sched:::off-cpu
/!$3 && pid && (!$target || progenyof($target))/
{
	self->left = timestamp;
	self->kernel = stackid();
	self->user = ustackid();
}

sched:::sleep
/$3 && pid && (!$target || progenyof($target))/
{
	self->left = timestamp;
	self->kernel = stackid();
	self->user = ustackid();
}

sched:::on-cpu
/self->left && timestamp - self->left >= $2 * 1000/
{
	@waited[pid, execname, stackof(self->kernel), ustackof(self->user)] = sum(timestamp - self->left);
	@times[pid, execname, stackof(self->kernel), ustackof(self->user)] = count();
}

sched:::on-cpu
{
	self->left = 0;
}

tick-$1, END
{
	normalize(@waited, 1000);
	printa("%d %s%k%k  %@d us, %@d times\n\n", @waited, @times);
	trunc(@waited);
	trunc(@times);
}
