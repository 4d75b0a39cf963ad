/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stacks of `dtr top`: runs from when a row is first expanded. */
#pragma D option quiet
#pragma D option jstackframes=100
#pragma D option defaultargs
#pragma D option argdefaults=199
#pragma D option aggsize=64m

profile-$1
/pid && (!$target || progenyof($target))/
{
	@processes_stacks[pid, execname, stack(), jstack()] = count();
}
