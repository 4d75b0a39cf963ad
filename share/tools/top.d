/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `dtr top` runs without a script: docs/top.md. */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=199

profile-$1
/pid && (!$target || progenyof($target))/
{
	@processes[pid, execname] = count();
	@modes[arg0 ? "kernel" : "user"] = count();
}

profile-$1
/pid && $target && !progenyof($target)/
{
	@processes[0, "(others)"] = count();
	@modes["others"] = count();
}
