/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "how long I/O of block devices takes"
#pragma dtr usage "[-i PERIOD] [--disks] [--operations] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a histogram of the time, in microseconds, from when an I/O is queued until it is done. With"
#pragma dtr more "-p or -c only I/O that the process and its descendants start."
#pragma dtr option -i period $1 "print and reset every period: 2 (seconds), 500ms (default: only at the end)"
#pragma dtr option --disks $2=1 "a histogram for each disk"
#pragma dtr option --operations $3=1 "a histogram for reads, and one for writes (with discards and flushes)"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1d
#pragma D option dynvarsize=4m

uint64_t since[uint64_t];

io:::start
/!$target || progenyof($target)/
{
	since[arg0] = timestamp;
}

io:::done
/since[arg0]/
{
	@[$2 ? args[1]->dev_statname : "all disks",
	    $3 ? (args[0]->b_flags & B_READ ? "reads" : "writes") : "reads and writes"] =
	    quantize((timestamp - since[arg0]) / 1000);
	since[arg0] = 0;
}

tick-$1, END
{
	printf("time of I/O, in microseconds\n");
	printa(@);
	trunc(@);
}
