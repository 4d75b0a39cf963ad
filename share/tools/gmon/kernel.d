/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr gmon -k: the kernel. */
#pragma D option quiet
#pragma D option oformat=gmon
#pragma D option aggsize=64m

profile-$1
/arg0 && (!$target || pid == $target)/
{
	@samples[arg0] = count();
}
