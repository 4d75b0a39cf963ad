/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "how many processes are created each second"
#pragma dtr usage "[-p PID | -c COMMAND]"
#pragma dtr about "Prints each second how many processes were created in it. Threads are not counted. With -p or -c"
#pragma dtr more "only those that the process and its descendants create."
#pragma D option quiet

uint64_t created, printed;

proc:::create
/!$target || progenyof($target)/
{
	created++;
}

tick-1s
{
	printf("%Y: PIDs/sec: %d\n", walltimestamp, created - printed);
	printed = created;
}
