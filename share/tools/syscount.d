/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "number and duration of system calls, by process"
#pragma dtr usage "[-i PERIOD] [--failed] [-p PID | -c COMMAND]"
#pragma dtr about "Prints for each process and system call the number of calls that returned, and their total and"
#pragma dtr more "longest time in microseconds, from entry to return, including waits. Calls that do not return (exit)"
#pragma dtr more "or that began before tracing are not counted. With -p or -c only that process and its descendants are"
#pragma dtr more "traced, otherwise all processes except dtr."
#pragma dtr option -i period $1 "print and reset every period: 2 (seconds), 500ms (default: only at the end)"
#pragma dtr option --failed $2=1 "only calls that fail"
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
