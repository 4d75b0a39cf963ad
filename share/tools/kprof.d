/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "where the kernel spends CPU time: shares of its routines"
#pragma dtr usage "[-p PID | -c COMMAND | -a] [-F RATE] [-t PERIOD] [-m | -l | --stack] [--by-cpu] [-o FILE]"
#pragma dtr about "Samples the program counter of every CPU and prints the share of each routine of the kernel, of all"
#pragma dtr more "code of processes (\"user\") and of idle CPUs (\"idle\"), each with its 95 % interval. With -p or -c,"
#pragma dtr more "only samples of this process and its descendants count. Ends with the process, after the period, or"
#pragma dtr more "at Ctrl-C."
#pragma dtr option -a all "all processes (the default without -p and -c)"
#pragma dtr option -F rate $2 "samples per second on each CPU (default: 997)"
#pragma dtr option -t period $1 "end after this time: 10 (seconds), 500ms, 1h"
#pragma dtr option -m script modules.d "by module"
#pragma dtr option -l script lines.d "by source line, if the kernel's debugging information is installed"
#pragma dtr option --by-cpu $3=1 "a table for each CPU"
#pragma dtr option --stack script stack.d "stacks of the kernel, one per line; -O html or pprof: a flame graph"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=36500d,997,0
#pragma D option shares=group

profile-$2
/!$3 && (!$target || progenyof($target))/
{
	@[sym(arg0)] = count();
}

profile-$2
/$3 && (!$target || progenyof($target))/
{
	@by_cpu[cpu, sym(arg0)] = count();
}

/* What idle CPUs have missed belongs to "idle" only if all processes are sampled. */
BEGIN
/!$target/
{
	@idle[-1] = count();
}

profile-$2
/!$target && !pid && arg0/
{
	@idle[cpu] = count();
}

tick-$1
{
	exit(0);
}
