/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "threads that programs create"
#pragma dtr usage "[-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each pthread_create(), in every process, also in containers: milliseconds since"
#pragma dtr more "tracing began, the process, and the function that the thread executes. Threads that are created"
#pragma dtr more "without the C library, as those of Go, are not shown. With -p or -c only that process and the"
#pragma dtr more "children that it creates from then on are traced."
#pragma D option quiet
#pragma D option followfork
#pragma D option bufsize=8m

BEGIN
{
	start = timestamp;
	printf("%-10s %-7s %-16s %s\n", "TIME(ms)", "PID", "COMM", "FUNC");
}

pid*:libc:pthread_create:entry, pid*:libpthread:pthread_create:entry, pid*:ld-musl*:pthread_create:entry
{
	printf("%-10d %-7d %-16s %A\n", (timestamp - start) / 1000000, pid, execname, usym(arg2));
}
