/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr gmon -k --arcs: the kernel, with callers from stacks. */
#pragma D option quiet
#pragma D option oformat=gmon
#pragma D option aggsize=64m
#pragma D option stackframes=127

profile-$1
/arg0 && (!$target || pid == $target)/
{
	@stacks[stack()] = count();
}
