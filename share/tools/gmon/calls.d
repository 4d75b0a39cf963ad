/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dtr gmon --arcs: counts all calls. At the entry of a function, the return address is on top of the stack. The probes
 * work in the kernel, so only samples of user code are counted.
 */
#pragma D option quiet
#pragma D option oformat=gmon
#pragma D option aggsize=64m

profile-$1
/pid == $target && arg1/
{
	@samples[uaddr(arg1)] = count();
}

pid$target:a.out::entry
{
	@arcs[uaddr(*(uintptr_t *)copyin(uregs[R_SP], sizeof(uintptr_t))), uaddr(uregs[R_PC])] = count();
}
