/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "who wakes sleeping threads, by stack, and how long they slept"
#pragma dtr usage "[-u] [-m US] [-M US] [DURATION] [-p PID | -c COMMAND]"
#pragma dtr about "Prints for each thread name that slept, the kernel stack that woke it and the name of the waker"
#pragma dtr more "the sum of the times, in microseconds, from falling asleep to being woken. The longest come last."
#pragma dtr more "With -p or -c only threads of that process and its descendants as sleepers."
#pragma dtr option -u $1=1 "only threads of processes, not those of the kernel"
#pragma dtr option -m us $2 "only sleeps of at least this many microseconds (default: 1)"
#pragma dtr option -M us $3 "only sleeps of at most this many microseconds"
#pragma dtr operand [period:DURATION] $4 "end after this time: 5 (seconds)"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,1,900000000000000,1d
#pragma D option dynvarsize=8m

uint64_t slept[uint64_t];

sched:::sleep
/pid && (!$target || progenyof($target)) && (!$1 || curthread->mm)/
{
	slept[(uint64_t)curthread] = timestamp;
}

sched:::wakeup
/slept[arg0] && timestamp - slept[arg0] >= $2 * 1000 && timestamp - slept[arg0] <= $3 * 1000/
{
	@[args[1]->pr_fname, stack(), execname] = sum(timestamp - slept[arg0]);
}

sched:::wakeup
{
	slept[arg0] = 0;
}

tick-$4
{
	exit(0);
}

END
{
	normalize(@, 1000);
	printa("    target:          %s%k    waker:           %s\n        %@d\n\n", @);
}
