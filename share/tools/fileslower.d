/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "reads and writes of files that take long"
#pragma dtr usage "[-a] [MIN_MS] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each read or write of a file that takes long: seconds since tracing began,"
#pragma dtr more "thread, direction (R, W), bytes (or -ERROR), milliseconds and path. Calls with a file descriptor"
#pragma dtr more "are measured (read, pread, readv, write ...). With -p or -c only those of that process and its"
#pragma dtr more "descendants."
#pragma dtr option -a $1=1 "also pipes, sockets and devices"
#pragma dtr operand [ms:MIN_MS] $2 "at least so many milliseconds (default: 10)"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,10
#pragma D option bufsize=8m
#pragma D option strsize=4096
#pragma D option cutmark

inline int regular[int n] = (uint_t)n < curthread->files->fdt->max_fds && curthread->files->fdt->fd[n] != 0 &&
    (curthread->files->fdt->fd[n]->f_inode->i_mode & 0170000) == 0100000;

BEGIN
{
	start = timestamp;
	printf("%10s %-16s %7s %1s %9s %9s %s\n", "TIME(s)", "COMM", "TID", "D", "BYTES", "LAT(ms)", "FILENAME");
}

syscall::read:entry, syscall::pread64:entry, syscall::readv:entry, syscall::preadv:entry, syscall::preadv2:entry,
syscall::write:entry, syscall::pwrite64:entry, syscall::writev:entry, syscall::pwritev:entry, syscall::pwritev2:entry
/pid != $pid && (!$target || progenyof($target)) && ($1 || regular[(int)arg0])/
{
	self->began = timestamp;
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return, syscall::preadv2:return,
syscall::write:return, syscall::pwrite64:return, syscall::writev:return, syscall::pwritev:return,
syscall::pwritev2:return
/self->began && timestamp - self->began >= $2 * 1000000/
{
	this->t = (timestamp - start) / 1000;
	this->us = (timestamp - self->began) / 1000;
	printf("%3d.%06d %-16s %7d %1s %9d %6d.%02d %s\n", this->t / 1000000, this->t % 1000000, execname, tid,
	    strstr(probefunc, "read") != NULL ? "R" : "W", arg1, this->us / 1000, this->us % 1000 / 10,
	    fds[(int)arg2].fi_pathname);
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return, syscall::preadv2:return,
syscall::write:return, syscall::pwrite64:return, syscall::writev:return, syscall::pwritev:return,
syscall::pwritev2:return
{
	self->began = 0;
}
