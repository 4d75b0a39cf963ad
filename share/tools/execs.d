/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "programs that processes execute, with their arguments"
#pragma dtr usage "[--failed] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each program executed: seconds since tracing began, process, parent, user and the"
#pragma dtr more "arguments, with escapes as in C (\\n, \\\"); longer ones than 4,095 bytes are cut. With -p or -c only"
#pragma dtr more "that process and its descendants are traced."
#pragma dtr option --failed $1=1 "also show failed attempts, with the path and the error (a shell tries each directory"
#pragma dtr more "of PATH)"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option bufsize=8m
#pragma D option strsize=4096
#pragma D option cutmark

BEGIN
{
	start = timestamp;
	printf("%10s %7s %7s %6s %5s %s\n", "TIME s", "PID", "PARENT", "USER", "ERROR", "ARGUMENTS");
}

proc:::exec
/$1 && (!$target || progenyof($target))/
{
	self->path = arg0;
}

proc:::exec-success
/!$target || progenyof($target)/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d %7d %7d %6d %5s %S\n", this->t / 1000000, this->t % 1000000, pid, ppid, uid, "-",
	       curpsinfo->pr_psargs);
}

proc:::exec-failure
/self->path/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d %7d %7d %6d %5d %S\n", this->t / 1000000, this->t % 1000000, pid, ppid, uid, args[0],
	       copyinstr(self->path));
}
