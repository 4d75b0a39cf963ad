/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "how long threads run on a CPU, or stay off it"
#pragma dtr usage "[-O] [-m] [-P | -L] [INTERVAL [COUNT]] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a histogram of the time, in microseconds, that threads run before they leave their CPU,"
#pragma dtr more "because they sleep or are preempted; with -O, of the time until they run again. What has not ended"
#pragma dtr more "while tracing is not counted. With -p or -c only that process and its descendants are traced."
#pragma dtr option -O $1=1 "time off the CPU"
#pragma dtr option -m $2=1 "in milliseconds"
#pragma dtr option -P $3=1 "a histogram for each process"
#pragma dtr option -L $4=1 "a histogram for each thread"
#pragma dtr operand [period:INTERVAL] $5 "print and reset after this time: 2 (seconds), 500ms (default: only at the"
#pragma dtr more "end)"
#pragma dtr operand [count] $6 "end after so many intervals"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,0,0,0,1d,0

self uint64_t on, off, took;
inline uint64_t units[uint64_t ns] = $2 ? ns / 1000000 : ns / 1000;

sched:::on-cpu /pid && $1 && self->off && (!$target || progenyof($target))/
{
	self->took = units[timestamp - self->off] + 1;
}

sched:::off-cpu /pid && !$1 && self->on && (!$target || progenyof($target))/
{
	self->took = units[timestamp - self->on] + 1;
}

sched:::on-cpu, sched:::off-cpu /self->took && !$3 && !$4/ { @all = quantize(self->took - 1); }
sched:::on-cpu, sched:::off-cpu /self->took && $3/ { @process[pid, execname] = quantize(self->took - 1); }
sched:::on-cpu, sched:::off-cpu /self->took && $4/ { @thread[pid, tid, execname] = quantize(self->took - 1); }
sched:::on-cpu /pid/ { self->on = timestamp; self->off = 0; self->took = 0; }
sched:::off-cpu /pid/ { self->off = timestamp; self->on = 0; self->took = 0; }

tick-$5, END
/!$6 || printed < $6/
{
	printf("%s-CPU time, in %s\n", $1 ? "off" : "on", $2 ? "msecs" : "usecs");
	printa(@all);
	printa("pid = %d %s%@d\n", @process);
	printa("pid = %d tid = %d %s%@d\n", @thread);
	trunc(@all);
	trunc(@process);
	trunc(@thread);
	printed++;
}

tick-$5 /printed == $6/ { exit(0); }
