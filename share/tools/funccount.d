/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "how often functions are called and other probes fire"
#pragma dtr usage "[-T] [-i INTERVAL] [-d DURATION] [-p PID | -c COMMAND] PROBE"
#pragma dtr about "Counts calls of a function, or of all that a pattern matches: c:malloc (of libc), c:str* and"
#pragma dtr more "/bin/bash:readline in every process, vfs_* in the kernel; also tracepoints (t:sched:sched_switch),"
#pragma dtr more "probes of programs (u:LIBRARY:PROVIDER:PROBE), returns (r:c:malloc) and descriptions of D"
#pragma dtr more "(syscall:::entry). Functions of the kernel need kprobes, as fbt does. With -p or"
#pragma dtr more "-c only that process and its descendants are traced."
#pragma dtr option -i period:INTERVAL $2 "print and reset after this time: 2 (seconds), 500ms"
#pragma dtr option -d period:DURATION $3 "end after this time"
#pragma dtr option -T $4=1 "the time of each output"
#pragma dtr operand probe $1 "what is counted"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=,100d,100d,0
#pragma D option followfork
#pragma D option dynvarsize=16m

$1
/pid != $pid && (!$target || progenyof($target))/
{
	@[probename == "entry" ? probefunc : probename] = count();
}

tick-$2, END /$4/ { printf("%Y\n", walltimestamp); }
tick-$2, END
{
	printf("%-36s %8s\n", "FUNC", "COUNT");
	printa("%-36s %8@d\n", @);
	trunc(@);
}

tick-$3
{
	exit(0);
}
