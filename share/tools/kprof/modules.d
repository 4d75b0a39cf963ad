/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr kprof -m: the shares of modules. The routine shows whether the CPU was idle. */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=36500d,997,0
#pragma D option shares=group

profile-$2
/!$3 && (!$target || progenyof($target))/
{
	@[mod(arg0), sym(arg0)] = count();
}

profile-$2
/$3 && (!$target || progenyof($target))/
{
	@by_cpu[cpu, mod(arg0), sym(arg0)] = count();
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
