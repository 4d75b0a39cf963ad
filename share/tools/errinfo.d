/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "system calls that fail"
#pragma dtr usage "[--count] [-n NAME] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each system call that fails: the name of the process, the call, the error and its"
#pragma dtr more "name. With -p or -c only that process and its descendants are traced, otherwise all processes except"
#pragma dtr more "dtr."
#pragma dtr option --count $1=1 "print only the number of failures of each kind, at the end"
#pragma dtr option -n text:NAME $2 "only processes of this name"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0

BEGIN
{
	text[EPERM] = "EPERM"; text[ENOENT] = "ENOENT"; text[ESRCH] = "ESRCH"; text[EINTR] = "EINTR"; text[EIO] = "EIO";
	text[ENXIO] = "ENXIO"; text[E2BIG] = "E2BIG"; text[ENOEXEC] = "ENOEXEC"; text[EBADF] = "EBADF";
	text[ECHILD] = "ECHILD"; text[EAGAIN] = "EAGAIN"; text[ENOMEM] = "ENOMEM"; text[EACCES] = "EACCES";
	text[EFAULT] = "EFAULT"; text[EBUSY] = "EBUSY"; text[EEXIST] = "EEXIST"; text[EXDEV] = "EXDEV";
	text[ENODEV] = "ENODEV"; text[ENOTDIR] = "ENOTDIR"; text[EISDIR] = "EISDIR"; text[EINVAL] = "EINVAL";
	text[ENFILE] = "ENFILE"; text[EMFILE] = "EMFILE"; text[ENOTTY] = "ENOTTY"; text[EFBIG] = "EFBIG";
	text[ENOSPC] = "ENOSPC"; text[ESPIPE] = "ESPIPE"; text[EROFS] = "EROFS"; text[EPIPE] = "EPIPE";
	text[ERANGE] = "ERANGE"; text[ENOSYS] = "ENOSYS"; text[ENOTEMPTY] = "ENOTEMPTY"; text[ELOOP] = "ELOOP";
	text[ENAMETOOLONG] = "ENAMETOOLONG"; text[ENODATA] = "ENODATA"; text[EOPNOTSUPP] = "EOPNOTSUPP";
	text[EADDRINUSE] = "EADDRINUSE"; text[ENETUNREACH] = "ENETUNREACH"; text[ECONNRESET] = "ECONNRESET";
	text[ENOTCONN] = "ENOTCONN"; text[ETIMEDOUT] = "ETIMEDOUT"; text[ECONNREFUSED] = "ECONNREFUSED";
	text[EINPROGRESS] = "EINPROGRESS"; text[EALREADY] = "EALREADY"; text[EISCONN] = "EISCONN";
	text[512] = "ERESTARTSYS"; text[513] = "ERESTARTNOINTR"; text[514] = "ERESTARTNOHAND";
	$1 ? 1 : printf("%-16s %-20s %5s %s\n", "NAME", "CALL", "ERROR", "");
}

syscall:::return
/errno && pid != $pid && (!$target || progenyof($target)) && ($$2 == "" || execname == $$2) && !$1/
{
	printf("%-16s %-20s %5d %s\n", execname, probefunc, errno, text[errno]);
}

syscall:::return
/errno && pid != $pid && (!$target || progenyof($target)) && ($$2 == "" || execname == $$2) && $1/
{
	@[execname, probefunc, errno, text[errno]] = count();
}

END
/$1/
{
	printf("%-16s %-20s %5s %-16s %10s\n", "NAME", "CALL", "ERROR", "", "COUNT");
	printa("%-16s %-20s %5d %-16s %@10d\n", @);
}
