/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr flame --off-cpu -C: off-cpu.d by container. */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=36500d
#pragma D option stackframes=127
#pragma D option ustackframes=127

sched:::off-cpu
/pid && (!$target || progenyof($target))/
{
	self->since = timestamp;
	self->kernel = stackid();
	self->user = ustackid();
}

sched:::on-cpu
/self->since/
{
	@[container, execname, ustackof(self->user), stackof(self->kernel)] = sum(timestamp - self->since);
}

sched:::on-cpu
{
	self->since = 0;
}

tick-$1
{
	exit(0);
}
