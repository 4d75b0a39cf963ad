/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr gmon --from: a recording has the program counter, but not the registers of a process in the kernel. */
#pragma D option quiet
#pragma D option oformat=gmon
#pragma D option aggsize=64m

profile-$1
/arg1/
{
	@samples[uaddr(arg1)] = count();
}
