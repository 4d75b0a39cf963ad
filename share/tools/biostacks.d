/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "how long I/O of block devices takes, by the stack that started it"
#pragma dtr usage "[-i PERIOD] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a histogram of the time, in microseconds, from when an I/O is queued until it is done, for"
#pragma dtr more "each kernel stack and process at which it was queued. With -p or -c only I/O that the process and"
#pragma dtr more "its descendants start."
#pragma dtr option -i period $1 "print and reset every period: 2 (seconds), 500ms (default: only at the end)"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1d
#pragma D option dynvarsize=4m

uint64_t since[uint64_t], from[uint64_t];
string name[uint64_t];

io:::start
/!$target || progenyof($target)/
{
	since[arg0] = timestamp;
	from[arg0] = stackid();
	name[arg0] = execname;
}

io:::done
/since[arg0]/
{
	@usecs[stackof(from[arg0]), name[arg0]] = quantize((timestamp - since[arg0]) / 1000);
	since[arg0] = 0;
	from[arg0] = 0;
	name[arg0] = 0;
}

tick-$1, END
{
	printa("%k  %s, usecs%@d\n", @usecs);
	trunc(@usecs);
}
