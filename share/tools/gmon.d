/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `dtr gmon` runs without -k, --arcs and --from: docs/gmon.md. */
#pragma D option quiet
#pragma D option oformat=gmon
#pragma D option aggsize=64m

profile-$1
/pid == $target/
{
	@samples[uaddr(uregs[R_PC])] = count();
}
