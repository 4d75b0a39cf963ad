/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "command lines that shells read"
#pragma dtr usage "[-s FILE] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each command line that bash reads from its user: seconds since tracing began,"
#pragma dtr more "process, text. These are the results of readline() in every bash, also in containers and in those"
#pragma dtr more "that start later; scripts do not call it. dtr execsnoop shows the programs that they execute."
#pragma dtr option -s file $1 "the program or library with readline(): a path, or a name such as libreadline"
#pragma dtr more "(default: bash)"
#pragma D option quiet
#pragma D option tailreturn
#pragma D option defaultargs
#pragma D option argdefaults=bash
#pragma D option followfork
#pragma D option strsize=1024
#pragma D option cutmark

BEGIN
{
	start = timestamp;
	printf("%-10s %-7s %s\n", "TIME(s)", "PID", "COMMAND");
}

pid*:$1:readline:return
/arg1/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d %-7d %S\n", this->t / 1000000, this->t % 1000000, pid, copyinstr(arg1));
}
