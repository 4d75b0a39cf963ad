/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "files whose attributes processes ask for"
#pragma dtr usage "[--failed] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each stat(), lstat(), fstatat(), statx(), statfs() and access() that returns:"
#pragma dtr more "seconds since tracing began, the process, the error (0: none), the call and the path that the process"
#pragma dtr more "passed. An empty path means the file of the descriptor. With -p or -c only that process and its"
#pragma dtr more "descendants are traced."
#pragma dtr option --failed $1=1 "only calls that fail"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option strsize=4096
#pragma D option bufsize=8m
#pragma D option cutmark

BEGIN
{
	start = timestamp;
	printf("%10s %7s %-16s %5s %-12s %s\n", "TIME s", "PID", "NAME", "ERROR", "CALL", "PATH");
}

syscall::stat:entry, syscall::lstat:entry, syscall::statfs:entry, syscall::access:entry
/pid != $pid && (!$target || progenyof($target))/
{
	self->path = arg0;
}

syscall::newfstatat:entry, syscall::statx:entry, syscall::faccessat:entry, syscall::faccessat2:entry
/pid != $pid && (!$target || progenyof($target))/
{
	self->path = arg1;
	self->fd = (int)arg0 + 1;
}

syscall::stat:return, syscall::lstat:return, syscall::statfs:return, syscall::access:return,
syscall::newfstatat:return, syscall::statx:return, syscall::faccessat:return, syscall::faccessat2:return
/self->path && (!$1 || errno)/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d %7d %-16s %5d %-12s %S\n", this->t / 1000000, this->t % 1000000, pid, execname, errno,
	    probefunc, self->fd > 0 && *(char *)copyin(self->path, 1) == 0 ? fds[self->fd - 1].fi_pathname :
	    copyinstr(self->path));
}

syscall::stat:return, syscall::lstat:return, syscall::statfs:return, syscall::access:return,
syscall::newfstatat:return, syscall::statx:return, syscall::faccessat:return, syscall::faccessat2:return
{
	self->path = 0;
	self->fd = 0;
}
