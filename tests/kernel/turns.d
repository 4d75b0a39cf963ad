/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What sched says of the threads of tests/kernel/turns, for each in the form of its own account. A machine may keep
 * threads of its own from being traced: no program runs at a switch away from one. Whoever comes then is noted when it
 * leaves: the thread that came last before was another one. All that counts is on one CPU.
 */
#pragma D option quiet
uint64_t since[uint64_t];	/* 1: not in a queue */
uint64_t came;			/* the thread that came last */
int where;			/* onto this CPU */

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
	self->unseen = 0;
	self->from = timestamp;
	since[(uint64_t)curthread] = 1;	/* if its coming was not seen */
	where = cpu;
	came = (uint64_t)curthread;
}

sdt:::sched_switch
/self->seen && came != arg1/
{
	self->unseen++;
	since[arg1] = 1;	/* so it is in no queue any more */
}

sdt:::sched_switch
/cpu == where/
{
	came = arg2;
}

sched:::enqueue
/args[1]->pr_pid == $target && since[arg0] <= 1/
{
	since[arg0] = timestamp;
}

sched:::on-cpu
/self->seen/
{
	self->on++;
	self->from = timestamp;
	self->waited += since[(uint64_t)curthread] > 1 ? timestamp - since[(uint64_t)curthread] : 0;
}

sched:::on-cpu
/since[(uint64_t)curthread] > 1/
{
	since[(uint64_t)curthread] = 1;
}

sched:::off-cpu
/self->seen/
{
	self->off++;
	self->ran += timestamp - self->from;
	self->from = timestamp;	/* if its coming is not seen */
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
	printf("%s on %d unseen %d off %d sleep %d preempt %d ran %d waited %d\n", execname, self->on,
	    self->unseen + (came != (uint64_t)curthread), self->off, self->sleep, self->preempt, self->ran + timestamp -
	    self->from, self->waited);
}
