/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "context switches: how many, and why"
#pragma dtr usage "[-i PERIOD] [-p PID | -c COMMAND]"
#pragma dtr about "Prints for each period the number of context switches, how many of them left a thread that sleeps,"
#pragma dtr more "and how many one that could have continued (it was preempted or yielded); the rest left the idle"
#pragma dtr more "thread or one that ended. With -p or -c only switches away from that process and its descendants."
#pragma dtr option -i period $1 "print every period: 2 (seconds), 500ms (default: 1s)"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1s

BEGIN
{
	printf("%-20s %10s %10s %10s\n", "TIME", "SWITCHES", "SLEEPING", "PREEMPTED");
	@all = sum(0);
	@sleep = sum(0);
	@preempt = sum(0);
}

sched:::off-cpu
/!$target || progenyof($target)/
{
	@all = sum(1);
}

sched:::sleep
/!$target || progenyof($target)/
{
	@sleep = sum(1);
}

sched:::preempt
/pid && (!$target || progenyof($target))/
{
	@preempt = sum(1);
}

tick-$1, END
{
	printf("%Y", walltimestamp);
	printa(" %@10d %@10d %@10d\n", @all, @sleep, @preempt);
	clear(@all);
	clear(@sleep);
	clear(@preempt);
}
