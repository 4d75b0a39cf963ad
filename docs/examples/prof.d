#!/usr/bin/env -S dtr -s
/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who is on the CPUs: samples of each process, 97 times a second on each CPU. Ctrl-C ends it. */
#pragma D option quiet

profile-97
/pid != 0/
{
	@proc[pid, execname] = count();
}

END
{
	printf("%-8s %-40s %s\n", "PID", "CMD", "COUNT");
	printa("%-8d %-40s %@d\n", @proc);
}
