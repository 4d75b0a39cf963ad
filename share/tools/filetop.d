/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "the files that processes read and write most"
#pragma dtr usage "[-i PERIOD] [-r ROWS] [-a] [-p PID | -c COMMAND]"
#pragma dtr about "Prints for each process and file how many bytes it read (R) or wrote (W); the largest last. Calls"
#pragma dtr more "with a file descriptor are counted (read, pread, readv, write ...), not mapped files. With -p or -c"
#pragma dtr more "only that process and its descendants."
#pragma dtr option -i period $1 "print and reset every period: 2 (seconds), 500ms (default: only at the end)"
#pragma dtr option -r rows $2 "only this many rows (default: 20)"
#pragma dtr option -a $3=1 "also pipes, sockets, devices, not only regular files"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1d,20

/* S_IFREG */
inline int regular[int n] = (uint_t)n < curthread->files->fdt->max_fds && curthread->files->fdt->fd[n] != 0 &&
    (curthread->files->fdt->fd[n]->f_inode->i_mode & 0170000) == 0100000;

syscall::read:entry, syscall::pread64:entry, syscall::readv:entry, syscall::preadv:entry, syscall::preadv2:entry,
syscall::write:entry, syscall::pwrite64:entry, syscall::writev:entry, syscall::pwritev:entry, syscall::pwritev2:entry
/pid != $pid && (!$target || progenyof($target)) && ($3 || regular[(int)arg0])/
{
	self->fd = (int)arg0 + 1;
}

syscall::read:return, syscall::pread64:return, syscall::readv:return, syscall::preadv:return, syscall::preadv2:return
/self->fd && !errno/
{
	@bytes[pid, execname, "R", fds[self->fd - 1].fi_pathname] = sum(arg1);
}

syscall::write:return, syscall::pwrite64:return, syscall::writev:return, syscall::pwritev:return,
syscall::pwritev2:return
/self->fd && !errno/
{
	@bytes[pid, execname, "W", fds[self->fd - 1].fi_pathname] = sum(arg1);
}

syscall:::return
{
	self->fd = 0;
}

tick-$1, END
{
	trunc(@bytes, $2);
	printf("%14s %7s %-16s %s %s\n", "BYTES", "PID", "NAME", " ", "FILE");
	printa("%@14d %7d %-16s %s %s\n", @bytes);
	trunc(@bytes);
}
