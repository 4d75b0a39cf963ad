/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "soft interrupts of the kernel: number and time"
#pragma dtr usage "[-i PERIOD] [-d]"
#pragma dtr about "Prints for each kind of soft interrupt how often it ran and for how long, in microseconds."
#pragma dtr option -i period $1 "print and reset every period: 2 (seconds), 500ms (default: only at the end)"
#pragma dtr option -d $2=1 "also the distribution of the times, in nanoseconds"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1d

inline string kind[int n] = n == 0 ? "HI" : n == 1 ? "TIMER" : n == 2 ? "NET_TX" : n == 3 ? "NET_RX" :
    n == 4 ? "BLOCK" : n == 5 ? "IRQ_POLL" : n == 6 ? "TASKLET" : n == 7 ? "SCHED" : n == 8 ? "HRTIMER" : "RCU";

sdt:::softirq_entry
{
	began[cpu, arg0] = timestamp;
}

sdt:::softirq_exit
/began[cpu, arg0]/
{
	this->took = timestamp - began[cpu, arg0];
	@times[kind[(int)arg0]] = count();
	@took[kind[(int)arg0]] = sum(this->took);
}

sdt:::softirq_exit
/began[cpu, arg0] && $2/
{
	@dist[kind[(int)arg0]] = quantize(timestamp - began[cpu, arg0]);
}

sdt:::softirq_exit
{
	began[cpu, arg0] = 0;
}

tick-$1, END
{
	normalize(@took, 1000);
	printf("%-10s %10s %14s\n", "SOFTIRQ", "COUNT", "TOTAL us");
	printa("%-10s %@10d %@14d\n", @times, @took);
	printa(@dist);
	trunc(@times);
	trunc(@took);
	trunc(@dist);
}
