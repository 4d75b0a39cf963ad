/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr flame -C: flame.d by container. */
#pragma D option quiet
#pragma D option needpc
#pragma D option defaultargs
#pragma D option argdefaults=36500d,997
#pragma D option stackframes=127
#pragma D option jstackframes=127

profile-$2
/pid && (!$target || progenyof($target))/
{
	@[container, execname, jstack(), stack()] = count();
}

tick-$1
{
	exit(0);
}
