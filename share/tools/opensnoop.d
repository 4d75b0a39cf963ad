/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "files that processes open"
#pragma dtr usage "[--failed] [-n NAME] [-f PATH] [-v] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each open(), openat(), openat2() and creat() that returns: seconds since tracing"
#pragma dtr more "began, the process, the file descriptor or -1, the error (0: none) and the path that the process"
#pragma dtr more "passed. With -p or -c only that process and its descendants are traced."
#pragma dtr option --failed $1=1 "only calls that fail"
#pragma dtr option -n text:NAME $2 "only processes of this name"
#pragma dtr option -f text:PATH $3 "only this path, as the process passed it"
#pragma dtr option -v $4=1 "date and time instead of seconds"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0
#pragma D option strsize=4096
#pragma D option bufsize=8m
#pragma D option cutmark

BEGIN
{
	start = timestamp;
	printf("%*s ", $4 ? 20 : 10, $4 ? "DATE" : "TIME s");
	printf("%7s %-16s %4s %5s %s\n", "PID", "NAME", "FD", "ERROR", "PATH");
}

syscall::open:entry, syscall::creat:entry
/pid != $pid && (!$target || progenyof($target)) && ($$2 == "" || execname == $$2)/
{
	self->path = arg0;
}

syscall::openat:entry, syscall::openat2:entry
/pid != $pid && (!$target || progenyof($target)) && ($$2 == "" || execname == $$2)/
{
	self->path = arg1;
}

syscall::open:return, syscall::creat:return, syscall::openat:return, syscall::openat2:return
/self->path && (!$1 || errno) && ($$3 == "" || copyinstr(self->path) == $$3)/
{
	this->t = (timestamp - start) / 1000;
	$4 ? printf("%Y ", walltimestamp) : printf("%3d.%06d ", this->t / 1000000, this->t % 1000000);
	printf("%7d %-16s %4d %5d %S\n", pid, execname, errno ? -1 : (int)arg1, errno, copyinstr(self->path));
}

syscall::open:return, syscall::creat:return, syscall::openat:return, syscall::openat2:return
{
	self->path = 0;
}
