/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "page faults of programs, by user stack"
#pragma dtr usage "[-n STACKS] [-t PERIOD] [--major] [--files] [-p PID | -c COMMAND]"
#pragma dtr about "Prints for each process and user stack the page faults that it took: without I/O (minor), and those"
#pragma dtr more "that waited for I/O (major); the most frequent ones last. With -p or -c only that process and its"
#pragma dtr more "descendants are traced, otherwise all processes except dtr."
#pragma dtr option -n stacks $1 "print at most this many stacks (default: 20)"
#pragma dtr option -t period $2 "end after this time: 10 (seconds), 500ms"
#pragma dtr option --major $3=1 "only major faults"
#pragma dtr option --files $4=1 "the program or library that takes the fault instead of the stack"
#pragma D option quiet
#pragma D option jstackframes=100
#pragma D option defaultargs
#pragma D option argdefaults=20,1d,0,0

vminfo:::pgrec, vminfo:::maj_fault
/!$4 && (!$3 || probename == "maj_fault") && pid != $pid && (!$target || progenyof($target))/
{
	@stacks[execname, pid, probename == "pgrec" ? "minor" : "major", jstack()] = count();
}

vminfo:::pgrec, vminfo:::maj_fault
/$4 && (!$3 || probename == "maj_fault") && pid != $pid && (!$target || progenyof($target))/
{
	@files[execname, pid, probename == "pgrec" ? "minor" : "major", umod(uregs[R_PC])] = count();
}

tick-$2
{
	exit(0);
}

END
{
	trunc(@stacks, $1);
	trunc(@files, $1);
	printa("%s %d: %s %@d%k\n", @stacks);
	printa("%-16s %7d %-6s %@8d %A\n", @files);
}
