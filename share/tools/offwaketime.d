/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "where threads sleep and who wakes them, by both stacks"
#pragma dtr usage "[-u] [-m US] [-M US] [DURATION] [-p PID | -c COMMAND]"
#pragma dtr about "Prints the stacks of the thread that woke another one (user, kernel), a line of --, the stacks at"
#pragma dtr more "which the other one had fallen asleep (kernel, user), and the sum of the times from falling asleep"
#pragma dtr more "to being woken, in microseconds. The longest come last. With -p or -c only threads of that process"
#pragma dtr more "and its descendants as sleepers."
#pragma dtr option -u $1=1 "only threads of processes, not those of the kernel"
#pragma dtr option -m us $2 "only sleeps of at least this many microseconds (default: 1)"
#pragma dtr option -M us $3 "only sleeps of at most this many microseconds"
#pragma dtr operand [period:DURATION] $4 "end after this time: 5 (seconds)"
#pragma D option quiet
#pragma D option jstackframes=100
#pragma D option defaultargs
#pragma D option argdefaults=0,1,900000000000000,1d
#pragma D option dynvarsize=8m

uint64_t slept[uint64_t], kernel[uint64_t], user[uint64_t];

sched:::sleep
/pid && (!$target || progenyof($target)) && (!$1 || curthread->mm)/
{
	slept[(uint64_t)curthread] = timestamp;
	kernel[(uint64_t)curthread] = stackid();
	user[(uint64_t)curthread] = jstackid();
}

sched:::wakeup
/slept[arg0] && timestamp - slept[arg0] >= $2 * 1000 && timestamp - slept[arg0] <= $3 * 1000/
{
	@[execname, pid, jstack(), stack(), stackof(kernel[arg0]), jstackof(user[arg0]), args[1]->pr_fname,
	    args[1]->pr_pid] = sum(timestamp - slept[arg0]);
}

sched:::wakeup
/slept[arg0]/
{
	slept[arg0] = 0;
	kernel[arg0] = 0;
	user[arg0] = 0;
}

tick-$4
{
	exit(0);
}

END
{
	normalize(@, 1000);
	printa("    waker:           %s %d%k%k    --               --%k%k    target:          %s %d\n        %@d\n\n",
	    @);
}
