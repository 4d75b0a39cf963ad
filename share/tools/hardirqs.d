/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "interrupts of devices: number and time"
#pragma dtr usage "[-d] [INTERVAL [COUNT]]"
#pragma dtr about "Prints for each interrupt handler of a device how often it ran and for how long, in microseconds."
#pragma dtr more "Interrupts of the processor itself (timers, other CPUs) have no handlers of this kind."
#pragma dtr option -d $1=1 "also the distribution of the times, in nanoseconds"
#pragma dtr operand [period:INTERVAL] $2 "print and reset after this time: 2 (seconds), 500ms (default: only at the"
#pragma dtr more "end)"
#pragma dtr operand [count] $3 "end after so many intervals"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,1d,0

uint64_t began[int, uint64_t];

sdt:::irq_handler_entry
{
	began[cpu, arg1] = timestamp;
}

sdt:::irq_handler_exit
/began[cpu, arg1]/
{
	@count[stringof(args[1]->name)] = count();
	@took[stringof(args[1]->name)] = sum(timestamp - began[cpu, arg1]);
}

sdt:::irq_handler_exit
/$1 && began[cpu, arg1]/
{
	@dist[stringof(args[1]->name)] = quantize(timestamp - began[cpu, arg1]);
}

sdt:::irq_handler_exit
{
	began[cpu, arg1] = 0;
}

tick-$2, END
/!$3 || printed < $3/
{
	normalize(@took, 1000);
	printf("%-26s %11s %11s\n", "HARDIRQ", "TOTAL_count", "TOTAL_usecs");
	printa("%-26s %@11d %@11d\n", @count, @took);
	printa(@dist);
	trunc(@count);
	trunc(@took);
	trunc(@dist);
	printed++;
}

tick-$2 /printed == $3/ { exit(0); }
