#!/usr/bin/env -S dtr -s
/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long read() takes in each program, in ns, as histograms. Ctrl-C ends it. */
#pragma D option quiet

syscall::read:entry
{
	self->start = timestamp;
}

syscall::read:return
/self->start/
{
	@["ns", execname] = quantize(timestamp - self->start);
	self->start = 0;
}
