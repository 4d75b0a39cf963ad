/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `dtr top -C` runs: docs/top.md. The summary is read before the containers. */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=199

profile-$1
/pid && (!$target || progenyof($target))/
{
	@modes[arg0 ? "kernel" : "user"] = count();
	@containers[container, pod, image] = count();
}

profile-$1
/pid && $target && !progenyof($target)/
{
	@modes["others"] = count();
}
