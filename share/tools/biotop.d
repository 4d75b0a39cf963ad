/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "the processes with the most I/O of block devices"
#pragma dtr usage "[-i PERIOD] [-r ROWS] [-p PID | -c COMMAND]"
#pragma dtr about "Prints for each process and disk the number of I/Os that it started, their size and their mean time;"
#pragma dtr more "the largest in KB last. A write of cached data is often started by a thread of the kernel. With -p or"
#pragma dtr more "-c only that process and its descendants."
#pragma dtr option -i period $1 "print and reset every period: 2 (seconds), 500ms (default: only at the end)"
#pragma dtr option -r rows $2 "only this many rows (default: 20)"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1d,20
#pragma D option aggsortonly
#pragma D option aggsortpos=1
#pragma D option dynvarsize=8m

struct started {
	uint64_t at;
	pid_t pid;
	string name;
};
struct started started[uint64_t];

io:::start
/!$target || progenyof($target)/
{
	started[arg0].at = timestamp;
	started[arg0].pid = pid;
	started[arg0].name = execname;
}

io:::done
/started[arg0].at/
{
	this->mode = args[0]->b_flags & B_READ ? "R" : "W";
	@bytes[started[arg0].pid, started[arg0].name, args[1]->dev_statname, this->mode] = sum(args[0]->b_bcount);
	@times[started[arg0].pid, started[arg0].name, args[1]->dev_statname, this->mode] = count();
	@mean[started[arg0].pid, started[arg0].name, args[1]->dev_statname, this->mode] =
	    avg(timestamp - started[arg0].at);
	started[arg0].at = 0;
	started[arg0].pid = 0;
	started[arg0].name = 0;
}

tick-$1, END
{
	normalize(@bytes, 1024);
	normalize(@mean, 1000);
	trunc(@bytes, $2);
	printf("%7s %-16s %-10s %1s %10s %12s %12s\n", "PID", "NAME", "DISK", "", "COUNT", "KB", "MEAN us");
	printa("%7d %-16s %-10s %1s %@10d %@12d %@12d\n", @times, @bytes, @mean);
	trunc(@bytes);
	trunc(@times);
	trunc(@mean);
}
