/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "where threads wait: time off the CPU, by stack"
#pragma dtr usage "[-i PERIOD] [-m US] [--asleep] [--scripts] [-p PID | -c COMMAND]"
#pragma dtr about "Prints how long (in microseconds) and how often threads were off the CPU, by process and by the"
#pragma dtr more "kernel and user stacks at which they left it. A wait lasts until the thread runs again; waits that do"
#pragma dtr more "not end while tracing are not counted. The longest waits come last. With -p or -c only that process"
#pragma dtr more "and its descendants are traced."
#pragma dtr option -i period $1 "print and reset every period: 2 (seconds), 500ms (default: only at the end)"
#pragma dtr option -m us $2 "only waits of at least this many microseconds"
#pragma dtr option --asleep $3=1 "only sleeping threads, not those that were preempted and are still runnable"
#pragma dtr option --scripts $4=1 "functions of scripts (Python, Node) in user stacks; tracing begins later"
#pragma D option quiet
#pragma D option jstackframes=100
#pragma D option defaultargs
#pragma D option argdefaults=1d
#pragma D option aggtable=64k

sched:::off-cpu
/!$3 && pid && (!$target || progenyof($target))/
{
	self->left = timestamp;
	self->kernel = stackid();
	self->user = $4 ? jstackid() : ustackid();
}

sched:::sleep
/$3 && pid && (!$target || progenyof($target))/
{
	self->left = timestamp;
	self->kernel = stackid();
	self->user = $4 ? jstackid() : ustackid();
}

sched:::on-cpu
/self->left && timestamp - self->left >= $2 * 1000/
{
	@waited[pid, execname, stackof(self->kernel), jstackof(self->user)] = sum(timestamp - self->left);
	@times[pid, execname, stackof(self->kernel), jstackof(self->user)] = count();
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
