/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr gmon -k --arcs=exact: counts all calls of functions of the kernel. */
#pragma D option quiet
#pragma D option oformat=gmon
#pragma D option aggsize=64m

profile-$1
/arg0 && (!$target || pid == $target)/
{
	@samples[arg0] = count();
}

fbt:vmlinux::entry
/!$target || pid == $target/
{
	@calls[stack(2)] = count();
}
