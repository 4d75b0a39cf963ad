/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr gmon --arcs=sampled: callers from stacks. */
#pragma D option quiet
#pragma D option oformat=gmon
#pragma D option aggsize=64m
#pragma D option ustackframes=127

profile-$1
/!$target || pid == $target/
{
	@stacks[ustack()] = count();
}
