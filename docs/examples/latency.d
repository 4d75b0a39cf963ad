#!/usr/bin/env -S dtr -s
/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ten slowest system calls, on average, of all programs in 5 seconds. */
#pragma D option quiet

syscall:::entry
{
	self->start = timestamp;
}

syscall:::return
/self->start/
{
	@mean[probefunc] = avg(timestamp - self->start);
	self->start = 0;
}

tick-5s
{
	trunc(@mean, 10);
	printf("%-24s %12s\n", "SYSTEM CALL", "MEAN ns");
	printa("%-24s %@12d\n", @mean);
	exit(0);
}
