/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "mounts and unmounts of file systems"
#pragma dtr usage "[-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each mount(), umount2() and move_mount() that returns: process, thread, the"
#pragma dtr more "inode number of its mount name space, the call with its arguments, and the result (0 or -ERROR)."
#pragma dtr more "move_mount() is how newer programs mount what fsmount() and open_tree() have prepared. With -p or"
#pragma dtr more "-c only that process and its descendants are traced."
#pragma D option quiet
#pragma D option bufsize=8m
#pragma D option cutmark

inline string text[uint64_t p] = p ? copyinstr(p) : "";
inline uint32_t space = curthread->nsproxy->mnt_ns->ns.inum;

BEGIN
{
	printf("%-16s %7s %7s %-11s %s\n", "COMM", "PID", "TID", "MNT_NS", "CALL");
}

syscall::mount:return	/* source, target, type, flags, data */
/!$target || progenyof($target)/
{
	printf("%-16s %7d %7d %-11d mount(%J, %J, %J, 0x%x, %J) = %d\n", execname, pid, tid, space, text[arg2],
	    text[arg3], text[arg4], arg5, text[arg6], arg1);
}

syscall::umount2:return
/!$target || progenyof($target)/
{
	printf("%-16s %7d %7d %-11d umount2(%J, 0x%x) = %d\n", execname, pid, tid, space, text[arg2], arg3, arg1);
}

syscall::move_mount:return
/!$target || progenyof($target)/
{
	printf("%-16s %7d %7d %-11d move_mount(%d, %J, %d, %J, 0x%x) = %d\n", execname, pid, tid, space, (int)arg2,
	    text[arg3], (int)arg4, text[arg5], arg6, arg1);
}
