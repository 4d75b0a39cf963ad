/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "where a process runs in user mode: functions or libraries"
#pragma dtr usage "[-F] [-l] [-t PERIOD] {PID | -c COMMAND}"
#pragma dtr about "Samples the function that the process and its descendants run in user mode and prints the number of"
#pragma dtr more "samples of each and its share of all, by process, the largest last. Ends with the process, after the"
#pragma dtr more "period, or at Ctrl-C. dtr prog shows callers and lines, too."
#pragma dtr option -F $1=0 "functions (the default)"
#pragma dtr option -l $1=1 "the program and its libraries"
#pragma dtr option -t period $2 "end after this time: 10 (seconds), 500ms"
#pragma dtr operand pid target "the process"
#pragma D option quiet
#pragma D option needpc
#pragma D option defaultargs
#pragma D option argdefaults=0,1d

profile-1001
/arg1 && !$1 && progenyof($target)/
{
	@functions[ufunc(arg1), pid] = count();
	@shares[ufunc(arg1), pid] = sum(100);
	samples++;
}

profile-1001
/arg1 && $1 && progenyof($target)/
{
	@modules[umod(arg1), pid] = count();
	@parts[umod(arg1), pid] = sum(100);
	samples++;
}

tick-$2
{
	exit(0);
}

END
{
	normalize(@shares, samples ? samples : 1);
	normalize(@parts, samples ? samples : 1);
	printf("%-50s %10s %7s %7s\n", $1 ? "LIBRARY" : "FUNCTION", "COUNT", "PCNT", "PID");
	printa("%-50A %@10d %@6.1f%% %7d\n", @functions, @shares);
	printa("%-50A %@10d %@6.1f%% %7d\n", @modules, @parts);
}
