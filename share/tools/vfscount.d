/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "calls of the kernel's file system functions"
#pragma dtr usage "[-i PERIOD] [-p PID | -c COMMAND]"
#pragma dtr about "Prints how often each function of the kernel whose name begins with vfs_ was called: vfs_read,"
#pragma dtr more "vfs_open ... Needs kprobes, as fbt does: no tracepoint reports these calls. With"
#pragma dtr more "-p or -c only calls by that process and its descendants, otherwise by all processes except dtr."
#pragma dtr option -i period $1 "print and reset every period: 2 (seconds), 500ms (default: only at the end)"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1d

fbt::vfs_*:entry
/pid != $pid && (!$target || progenyof($target))/
{
	@[probefunc] = count();
}

tick-$1, END
{
	printf("%-26s %12s\n", "FUNCTION", "COUNT");
	printa("%-26s %@12d\n", @);
	trunc(@);
}
