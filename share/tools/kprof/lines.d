/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr kprof -l: the shares of source lines. The routine shows whether the CPU was idle. */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=36500d,997,0
#pragma D option shares=group
#pragma D option stacklines

profile-$2
/!$3 && (!$target || progenyof($target))/
{
	@[stack(1), sym(arg0)] = count();
}

profile-$2
/$3 && (!$target || progenyof($target))/
{
	@by_cpu[cpu, stack(1), sym(arg0)] = count();
}

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
