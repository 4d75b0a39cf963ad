/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "programs that processes execute, as the DTraceToolkit prints them"
#pragma dtr usage "[-a] [-s] [-v] [-f NAME] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each program executed: user, process, parent and the arguments, with escapes as in"
#pragma dtr more "C (\\n, \\\"). With -p or -c only that process and its descendants are traced. dtr execs also shows"
#pragma dtr more "failed attempts."
#pragma dtr option -a $1=1 "all data: date and time, microseconds, command, directory"
#pragma dtr option -s $2=1 "microseconds since the machine started"
#pragma dtr option -v $3=1 "date and time"
#pragma dtr option -f text:NAME $4 "only programs of this name (the last component of the path)"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,0,0
#pragma D option bufsize=8m
#pragma D option strsize=4096
#pragma D option cutmark

BEGIN
{
	printf("%s%s%6s %7s %7s %s%s\n", $1 || $3 ? "DATE                 " : "",
	    $1 || $2 ? "       TIME us " : "", "UID", "PID", "PPID", $1 ? "NAME             DIRECTORY " : "", "ARGS");
}

proc:::exec-success
/(!$target || progenyof($target)) && ($$4 == "" || execname == $$4)/
{
	this->us = timestamp / 1000;
	$1 || $3 ? printf("%Y ", walltimestamp) : 1;
	$1 || $2 ? printf("%14d ", this->us) : 1;
	printf("%6d %7d %7d ", uid, pid, ppid);
	$1 ? printf("%-16s %s ", execname, cwd) : 1;
	printf("%S\n", curpsinfo->pr_psargs);
}
