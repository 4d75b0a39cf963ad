/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "how long threads wait for a CPU"
#pragma dtr usage "[-i PERIOD] [-k KEY] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a histogram of the time, in nanoseconds, from when a thread becomes runnable (it is woken,"
#pragma dtr more "created or preempted) until it runs. Moves from one CPU's queue to another's are included. With -p or"
#pragma dtr more "-c only that process and its descendants are traced."
#pragma dtr option -i period $1 "print and reset every period: 2 (seconds), 500ms (default: only at the end)"
#pragma dtr option -k all|execname|pid|tid|cpu $2 "one histogram for all threads (default) or for each of these"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1d,all
#pragma D option dynvarsize=4m

uint64_t since[uint64_t];
inline string all = "all threads";

sched:::enqueue
/!since[arg0]/
{
	since[arg0] = timestamp;
}

sched:::on-cpu
/since[(uint64_t)curthread] && (!$target || progenyof($target))/
{
	@[$2] = quantize(timestamp - since[(uint64_t)curthread]);
}

sched:::on-cpu
{
	since[(uint64_t)curthread] = 0;
}

tick-$1, END
{
	printf("time that threads waited for a CPU, in nanoseconds\n");
	printa(@);
	trunc(@);
}
