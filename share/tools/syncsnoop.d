/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "calls that write cached data to disks: sync, fsync, msync"
#pragma dtr usage "[-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each sync(), syncfs(), fsync(), fdatasync(), sync_file_range() and msync():"
#pragma dtr more "seconds since tracing began, the process and the call. With -p or -c only that process and its"
#pragma dtr more "descendants are traced."
#pragma D option quiet
#pragma D option bufsize=8m

BEGIN
{
	start = timestamp;
	printf("%10s %7s %-16s %s\n", "TIME(s)", "PID", "COMM", "EVENT");
}

syscall::sync:entry, syscall::syncfs:entry, syscall::fsync:entry, syscall::fdatasync:entry,
syscall::sync_file_range:entry, syscall::msync:entry
/!$target || progenyof($target)/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d %7d %-16s %s\n", this->t / 1000000, this->t % 1000000, pid, execname, probefunc);
}
