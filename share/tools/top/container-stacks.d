/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stacks of `dtr top -C`: as stacks.d. */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=199
#pragma D option aggsize=64m

profile-$1
/pid && (!$target || progenyof($target))/
{
	@containers_stacks[container, pod, image, stack(), jstack()] = count();
}
