/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr kprof --stack: the stacks of the kernel; "user" for code of processes. */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=36500d,997,0
#pragma D option oformat=folded
#pragma D option stackframes=127

inline string where = arg0 ? "kernel" : "user";

profile-$2
/!$3 && (!$target || progenyof($target))/
{
	@[where, stack()] = count();
}

profile-$2
/$3 && (!$target || progenyof($target))/
{
	@by_cpu[cpu, where, stack()] = count();
}

tick-$1
{
	exit(0);
}
