/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What sched says of the threads of tests/kernel/turns, for each in the form of its own account. */
#pragma D option quiet
uint64_t since[uint64_t];

syscall::getpriority:entry
/arg0 == 77 && progenyof($target)/
{
	self->seen = 1;
	self->on = 0;
	self->off = 0;
	self->sleep = 0;
	self->preempt = 0;
	self->ran = 0;
	self->waited = 0;
	self->from = timestamp;
}

sched:::enqueue
/!since[arg0]/
{
	since[arg0] = timestamp;
}

sched:::on-cpu
/self->seen/
{
	self->on++;
	self->from = timestamp;
	self->waited += since[(uint64_t)curthread] ? timestamp - since[(uint64_t)curthread] : 0;
}

sched:::on-cpu
{
	since[(uint64_t)curthread] = 0;
}

sched:::off-cpu
/self->seen/
{
	self->off++;
	self->ran += timestamp - self->from;
}

sched:::sleep
/self->seen/
{
	self->sleep++;
}

sched:::preempt
/self->seen/
{
	self->preempt++;
}

syscall::getpriority:entry
/arg0 == 78 && self->seen/
{
	printf("%s on %d off %d sleep %d preempt %d ran %d waited %d\n", execname, self->on, self->off, self->sleep, self->preempt,
	    self->ran + timestamp - self->from, self->waited);
}
