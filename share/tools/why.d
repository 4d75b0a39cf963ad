/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What `dtr why` runs (docs/why.md). A thread is in one state at a time. At each change the time is subtracted from the
 * row of the new state and added to that of the old one, so the rows of a thread add up to its whole time; the row of
 * the state that has not ended lacks the time of the end, and the command adds it.
 */
#pragma D option quiet
#pragma D option strsize=64
#pragma D option aggsize=16m
#pragma D option aggtable=64k

/*
 * By thread (its task_struct): its IDs, and its state: cause << 24 | detail << 16 | number of the call + 1 (0: none;
 * 0xffff: a thread of the kernel; 0xfffe: the one that it was in before it was first seen).
 * cause: 0 it runs, 1 runnable, 2 blocked, 3 blocked by I/O, 4 stopped. detail, of a thread that is blocked: for calls
 * with a descriptor 0x10 + the type of the file (inode(7): S_IFMT >> 12), for sockets 0x20 + the family; for futex()
 * 0x80 + the operation, + 0x40 if it waits for the value not to be 2 (the C library's mutexes).
 */
uint64_t who[uint64_t], state[uint64_t];
/* Of a thread that is blocked: since when, at which address or descriptor. Of one that was: its state then,
 * and until when. */
uint64_t since[uint64_t], object[uint64_t], last[uint64_t], until[uint64_t];
/* Of one that is being woken: when, by whom, and the state and the last wait of that one. */
uint64_t woken[uint64_t], by[uint64_t], by_state[uint64_t];
/* By CPU: the interrupt that it serves: 0x100 + a device's, 0x200 timer, 0x300 + softirq. */
uint64_t interrupt[uint64_t], softirq[uint64_t];
uint64_t begun;

inline struct file *descriptor[uint64_t fd] = curthread->files->fdt->fd[fd];
inline int file_type[struct file *f] = f->f_inode->i_mode >> 12;
inline int family[struct sock *s] = s ? s->__sk_common.skc_family : 0;
inline int detail_of_file[struct file *f] = !f ? 0 :
    file_type[f] == 12 ? 0x20 + family[((struct socket *)f->private_data)->sk] : 0x10 + file_type[f];
inline int detail_of_call[int call] =
    call == CALL_FUTEX ? 0x80 + (CALL_ARG1 & 15) + (!(CALL_ARG1 & 15) && (int)CALL_ARG2 == 2 ? 0x40 : 0) :
    HAS_DESCRIPTOR[call] ? detail_of_file[descriptor[CALL_ARG0]] : 0;

BEGIN { begun = timestamp; }

/* ---- threads ---- */

/* A thread is seen for the first time. 0x7f: what it did before is not known here. */
rawtp:::sys_enter, rawtp:::sys_exit, rawtp:::sched_switch
/!who[(uint64_t)curthread] && pid && (!$target || progenyof($target))/
{
	this->who = (uint64_t)pid << 32 | tid;
	this->state = curthread->mm ? 0 : 0xffff;
	@spent[this->who, 0x7f000000] = sum(timestamp - begun);
	@spent[this->who, this->state] = sum(begun - timestamp);
	@names[this->who, execname] = count();
	who[(uint64_t)curthread] = this->who;
	state[(uint64_t)curthread] = this->state;
}

rawtp:::sched_wakeup
/!who[arg0] && (!$target || xlate<psinfo_t>(args[0]).pr_pid == $target)/
{
	this->who = (uint64_t)xlate<psinfo_t>(args[0]).pr_pid << 32 | xlate<lwpsinfo_t>(args[0]).pr_lwpid;
	this->state = 0x1000000 + (args[0]->mm ? 0xfffe : 0xffff);
	@spent[this->who, 0x7f000000] = sum(timestamp - begun);
	@spent[this->who, this->state] = sum(begun - timestamp);
	who[arg0] = this->who;
	state[arg0] = this->state;
}

proc:::lwp-create
/who[(uint64_t)curthread]/
{
	this->who = (uint64_t)args[1]->pr_pid << 32 | args[0]->pr_lwpid;
	@spent[this->who, 0x1000000] = sum(begun - timestamp);
	@names[this->who, execname] = count();
	who[arg0] = this->who;
	state[arg0] = 0x1000000;
}

proc:::exec-success, proc:::lwp-exit
/who[(uint64_t)curthread]/
{
	@names[who[(uint64_t)curthread], execname] = count();
}

/* ---- calls ---- */

rawtp:::sys_enter, rawtp:::sys_exit, rawtp:::sched_switch
{
	this->task = (uint64_t)curthread;
	this->who = who[this->task];
	this->time = timestamp - begun;
}

rawtp:::sys_enter
/this->who/
{
	@spent[this->who, state[this->task]] = sum(this->time);
	this->state = arg1 + 1 & 0xffff;
	state[this->task] = this->state;
	@spent[this->who, this->state] = sum(-this->time);
}

rawtp:::sys_exit
/this->who/
{
	@spent[this->who, state[this->task]] = sum(this->time);
	state[this->task] = 0;
	@spent[this->who, 0] = sum(-this->time);
}

/* ---- interrupts ---- */

rawtp:::irq_handler_entry { interrupt[cpu] = 0x100 + arg0; }
rawtp:::irq_handler_exit { interrupt[cpu] = 0; }
rawtp:::softirq_entry { softirq[cpu] = 0x300 + arg0; }
rawtp:::softirq_exit { softirq[cpu] = 0; }
rawtp:::hrtimer_expire_entry { interrupt[cpu] = 0x200; }
rawtp:::hrtimer_expire_exit { interrupt[cpu] = 0; }

/* ---- the scheduler ---- */

rawtp:::sched_switch
/this->who/
{
	this->old = state[this->task];
	this->call = this->old & 0xffff;
	this->cause = arg0 & 1 || !curthread->__state ? 1 : curthread->__state & 12 ? 4 : curthread->in_iowait ? 3 : 2;
	this->detail = 0;
	if (this->cause == 2 && this->call && this->call < 0xfffe)
		this->detail = detail_of_call[this->call - 1];
	this->state = this->cause << 24 | this->detail << 16 | this->call;
	@spent[this->who, this->old] = sum(this->time);
	state[this->task] = this->state;
	since[this->task] = timestamp;
	object[this->task] = this->detail ? CALL_ARG0 : 0;
	@spent[this->who, this->state] = sum(-this->time);
}

rawtp:::sched_switch
/this->who && curthread->__state & 0x80/
{
	@spent[this->who, this->state] = sum(this->time);
	who[this->task] = 0;
	state[this->task] = 0;
}

rawtp:::sched_switch
{
	this->who = who[arg2];
}

rawtp:::sched_switch
/this->who/
{
	this->old = state[arg2];
	this->state = this->old & 0xffff;
	@spent[this->who, this->old] = sum(this->time);
	state[arg2] = this->state;
	@spent[this->who, this->state] = sum(-this->time);
}

/* A thread is being woken: by whom, and what that one had last waited for, if not before this wait. */
rawtp:::sched_waking
/who[arg0]/
{
	this->waker = (uint64_t)curthread;
	this->by = interrupt[cpu] ? interrupt[cpu] : softirq[cpu] ? softirq[cpu] : pid ? (uint64_t)pid << 32 | tid : 0;
	woken[arg0] = timestamp;
	by[arg0] = this->by;
	by_state[arg0] = this->by > 0xffffffff ? state[this->waker] << 32 |
	    (until[this->waker] > since[arg0] ? last[this->waker] : 0) : 0;
}

rawtp:::sched_waking
/who[arg0] && !who[(uint64_t)curthread] && this->by > 0xffffffff/
{
	@names[this->by, execname] = count();
}

/* It is runnable, since it was woken. The CPU on which it was has left it, so the two events of a thread that is woken
 * while it falls asleep are in order here. */
rawtp:::sched_wakeup
/who[arg0] && state[arg0] >> 24 > 1/
{
	this->time = (woken[arg0] > since[arg0] ? woken[arg0] : since[arg0] ? since[arg0] : timestamp) - begun;
	@spent[who[arg0], state[arg0]] = sum(this->time);
	@woken[who[arg0], state[arg0], object[arg0], by[arg0], by_state[arg0] >> 32, by_state[arg0] & 0xffffffff] =
	    avg(this->time + begun - since[arg0]);
	last[arg0] = state[arg0];
	until[arg0] = timestamp;
	state[arg0] = state[arg0] & 0xffff | 0x1000000;
	@spent[who[arg0], state[arg0]] = sum(-this->time);
}

END { @end = max(timestamp - begun); }
