/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hotuser - where a process runs in user mode: functions or libraries
 *
 * usage: dtr hotuser [-F] [-l] [-t PERIOD] {PID | -c COMMAND}
 *
 * Samples the function that the process and its descendants run in user mode and prints the number of samples of each,
 * the largest last. Ends with the process, after the period, or at Ctrl-C. dtr prog shows callers and lines, too.
 *
 *   -F = $1=0		functions (the default)
 *   -l = $1=1		the program and its libraries
 *   -t PERIOD = $2	end after this time: 10 (seconds), 500ms
 *   PID = -p PID	the process
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,1d

profile-1001
/arg1 && !$1 && progenyof($target)/
{
	@functions[ufunc(arg1)] = count();
}

profile-1001
/arg1 && $1 && progenyof($target)/
{
	@modules[umod(arg1)] = count();
}

tick-$2
{
	exit(0);
}

END
{
	printf("%-50s %10s\n", $1 ? "LIBRARY" : "FUNCTION", "SAMPLES");
	printa("%-50A %@10d\n", @functions);
	printa("%-50A %@10d\n", @modules);
}
