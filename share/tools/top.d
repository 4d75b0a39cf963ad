/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * top - who is on the CPUs; tables of any script, live
 *
 * usage: dtr top [-F RATE] [-i PERIOD] [-p PID | -c COMMAND] [exact | {-n PROBE | -s FILE}...]
 *
 * A table that is sorted again after each period. h shows the keys; q quits. Without a script: how much of the CPUs'
 * time each process has, the kernel, user mode, idle CPUs, with 95 % intervals; Enter shows the stacks of a process.
 * With -n or -s each aggregation of the script is a table; histograms are heat maps over time.
 *
 *   -F RATE	samples per second on each CPU (default: 199)
 *   -i PERIOD	time between two tables: 2 (seconds), 500ms (default: 1s)
 *   -p PID, -c COMMAND	this process and its descendants; all others are one row
 *   exact	measure at context switches instead of sampling: see dtr exact
 *
 * With -n and -s all options of dtr work that concern the script and its target.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=199
#pragma D option aggsize=64m

profile-$1
/pid && (!$target || progenyof($target))/
{
	@processes[pid, execname] = count();
	@processes_stacks[pid, execname, stack(), ustack()] = count();
	@modes[arg0 ? "kernel" : "user"] = count();
}

profile-$1
/pid && $target && !progenyof($target)/
{
	@processes[0, "(others)"] = count();
	@modes["others"] = count();
}
