/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "on which CPUs processes run"
#pragma dtr usage "[-t PERIOD] [-p PID | -c COMMAND]"
#pragma dtr about "Samples each CPU 997 times a second and prints for each process on which CPUs it ran and in how many"
#pragma dtr more "samples. A process with one thread that has rows for many CPUs was moved between them. Ends with the"
#pragma dtr more "command, after the period, or at Ctrl-C. With -p or -c only that process and its descendants."
#pragma dtr option -t period $1 "end after this time: 10 (seconds), 500ms"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1d
#pragma D option aggsortkey

profile-997
/pid && pid != $pid && (!$target || progenyof($target))/
{
	@[pid, execname, cpu] = count();
}

tick-$1
{
	exit(0);
}

END
{
	printf("%7s %-16s %5s %10s\n", "PID", "NAME", "CPU", "SAMPLES");
	printa("%7d %-16s %5d %@10d\n", @);
}
