#!/usr/bin/env -S dtr -s
/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where threads wait: time off the CPU by program and kernel stack. Prints the ten longest every $1 (default: 5s). */
#pragma D option quiet
#pragma D option argdefaults=5s

sched:::off-cpu
/pid != 0/
{
	self->left = timestamp;
	self->from = stackid();
}

sched:::on-cpu
/self->left/
{
	@[execname, stackof(self->from)] = sum(timestamp - self->left);
	self->left = 0;
}

tick-$1
{
	trunc(@, 10);
	normalize(@, 1000);
	printa("%@d us  %s%k\n", @);
	trunc(@);
}
