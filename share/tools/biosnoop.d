/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "each I/O of block devices"
#pragma dtr usage "[-d DISK] [-m US] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each I/O that is done: seconds since tracing began, the thread that asked for it,"
#pragma dtr more "the disk, R or W (a write, a discard, a flush), its first sector, its bytes, microseconds from the"
#pragma dtr more "queue to the end, and the file, if its data are in the page cache. A write of cached data is often"
#pragma dtr more "started by a thread of the kernel. With -p or -c only I/O that the process and its descendants start"
#pragma dtr more "is shown."
#pragma dtr option -d text:DISK $1 "only this disk or partition: sda, sda1 (default: all)"
#pragma dtr option -m us $2 "only I/O that takes at least this many microseconds"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=4m
#pragma D option strsize=128
#pragma D option bufsize=8m
#pragma D option cutmark

struct started {
	uint64_t at;
	pid_t pid;
	string name;
};
struct started started[uint64_t];

BEGIN
{
	start = timestamp;
	printf("%10s %7s %-16s %-10s %1s %12s %8s %10s %s\n", "TIME s", "PID", "NAME", "DISK", "", "SECTOR", "BYTES",
	    "TIME us", "FILE");
}

io:::start
/($$1 == "" || args[1]->dev_statname == $$1) && (!$target || progenyof($target))/
{
	started[arg0].at = timestamp;
	started[arg0].pid = pid;
	started[arg0].name = execname;
}

io:::done
/started[arg0].at && timestamp - started[arg0].at >= $2 * 1000/
{
	this->t = (timestamp - start) / 1000;
	this->path = args[2]->fi_pathname;
	printf("%3d.%06d %7d %-16s %-10s %1s %12d %8d %10d %s%s\n", this->t / 1000000, this->t % 1000000,
	    started[arg0].pid, started[arg0].name, args[1]->dev_statname, args[0]->b_flags & B_READ ? "R" : "W",
	    args[0]->b_blkno, args[0]->b_bcount, (timestamp - started[arg0].at) / 1000,
	    this->path == "<none>" ? "" : this->path, args[0]->b_error ? " failed" : "");
}

io:::done
{
	started[arg0].at = 0;
	started[arg0].pid = 0;
	started[arg0].name = 0;
}
