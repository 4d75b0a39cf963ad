/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "where the kernel runs: functions or modules"
#pragma dtr usage "[-F] [-m] [-t PERIOD] [-p PID | -c COMMAND]"
#pragma dtr about "Samples the function that each CPU runs in the kernel and prints the number of samples of each and"
#pragma dtr more "its share of all, the largest last. Idle CPUs are not counted. Ends with the command, after the"
#pragma dtr more "period, or at Ctrl-C. With -p or -c only that process and its descendants. dtr kprof shows callers,"
#pragma dtr more "too."
#pragma dtr option -F $1=0 "functions (the default)"
#pragma dtr option -m $1=1 "modules"
#pragma dtr option -t period $2 "end after this time: 10 (seconds), 500ms"
#pragma D option quiet
#pragma D option needpc
#pragma D option defaultargs
#pragma D option argdefaults=0,1d

profile-1001
/arg0 && pid && !$1 && (!$target || progenyof($target))/
{
	@functions[func(arg0)] = count();
	@shares[func(arg0)] = sum(100);
	samples++;
}

profile-1001
/arg0 && pid && $1 && (!$target || progenyof($target))/
{
	@modules[mod(arg0)] = count();
	@parts[mod(arg0)] = sum(100);
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
	printf("%-50s %10s %7s\n", $1 ? "MODULE" : "FUNCTION", "COUNT", "PCNT");
	printa("%-50a %@10d %@6.1f%%\n", @functions, @shares);
	printa("%-50a %@10d %@6.1f%%\n", @modules, @parts);
}
