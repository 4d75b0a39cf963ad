/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
sched:::on-cpu
{
	trace(args[0]->pr_pid);
}
