/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * syscount - system calls by process: how many, how long
 *
 * usage: dtr syscount [-i PERIOD] [--failed] [-p PID | -c COMMAND]
 *
 * For each process and system call: the calls that returned, the time between entry and return in microseconds, all
 * together and the longest one. Waiting counts as time. A call that does not return (exit), or that had begun before
 * tracing did, is not in it. With -p or -c only that process and its descendants are seen, otherwise all but dtr.
 *
 *   -i PERIOD = $1	print and start anew once a period: 2 (seconds), 500ms; otherwise only at the end
 *   --failed = $2=1	only calls that fail
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1d

syscall:::entry
/pid != $pid && (!$target || progenyof($target))/
{
	self->since = timestamp;
}

syscall:::return
/self->since && (!$2 || errno)/
{
	this->took = timestamp - self->since;
	@calls[pid, execname, probefunc] = count();
	@took[pid, execname, probefunc] = sum(this->took);
	@longest[pid, execname, probefunc] = max(this->took);
}

syscall:::return
{
	self->since = 0;
}

tick-$1, END
{
	normalize(@took, 1000);
	normalize(@longest, 1000);
	printf("%7s %-16s %-20s %10s %14s %12s\n", "PID", "NAME", "CALL", "COUNT", "TOTAL us", "LONGEST us");
	printa("%7d %-16s %-20s %@10d %@14d %@12d\n", @calls, @took, @longest);
	trunc(@calls);
	trunc(@took);
	trunc(@longest);
}
