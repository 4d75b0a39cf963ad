/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr flame --wall -C: wall.d by container. */
#pragma D option quiet
#pragma D option needpc
#pragma D option defaultargs
#pragma D option argdefaults=36500d,997
#pragma D option stackframes=127
#pragma D option jstackframes=127

self int call, cause;

/* For what a thread waits that is blocked in a call; 1: it has no name here. */
syscall:::entry { self->call = 1; }
syscall::futex:entry { self->call = 2; }
syscall::nanosleep:entry, syscall::clock_nanosleep:entry { self->call = 3; }
syscall::*poll*:entry, syscall::epoll_*wait*:entry, syscall::select:entry, syscall::pselect6:entry { self->call = 4; }
syscall::wait4:entry, syscall::waitid:entry { self->call = 5; }
syscall::*sync:entry, syscall::sync*:entry { self->call = 6; }
syscall::recv*:entry, syscall::send*msg:entry, syscall::sendto:entry, syscall::accept*:entry, syscall::connect:entry
{
	self->call = 7;
}
syscall::read*:entry, syscall::write*:entry { self->call = 8; }
syscall:::return { self->call = 0; }

inline string name_of_cause[int c] =
    c == 2 ? "[futex]" : c == 3 ? "[sleep]" : c == 4 ? "[event]" : c == 5 ? "[child]" : c == 6 ? "[disk]" :
    c == 7 ? "[socket]" : c == 8 ? "[read, write]" : c == 9 ? "[runnable]" : c == 10 ? "[stopped]" :
    c == 11 ? "[page fault]" : "[other]";

profile-$2
/pid && (!$target || progenyof($target))/
{
	@[container, execname, "[on CPU]", jstack(), stack()] = sum(timestamp - (timestamp - 1000000000 / $2));
}

rawtp:::sched_switch
/pid && (!$target || progenyof($target))/
{
	self->since = timestamp;
	self->kernel = stackid();
	self->user = jstackid();
	self->cause = arg0 & 1 || !curthread->__state ? 9 : curthread->__state & 12 ? 10 :
	    curthread->in_iowait ? 6 : self->call ? self->call : 11;
}

sched:::on-cpu
/self->since/
{
	@[container, execname, name_of_cause[self->cause], jstackof(self->user), stackof(self->kernel)] =
	    sum(timestamp - self->since);
}

sched:::on-cpu
{
	self->since = 0;
}

tick-$1
{
	exit(0);
}
