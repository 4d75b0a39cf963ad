/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `dtr trace` runs, with the probes of the chosen calls: docs/trace.md. */
#pragma D option quiet
#pragma D option zdefs
#pragma D option strsize=1024
#pragma D option switchrate=50ms

BEGIN
{
	traced[$target] = 1;
}

proc:::create
/$1 && traced[pid]/
{
	traced[args[0]->pr_pid] = 1;
}

proc:::signal-handle
/traced[pid] && arg0 != 9/
{
	trace((uint64_t)tid << 32 | (uint64_t)pid << 10 | 4); trace((int)arg0);
	trace(args[1]->si_code); trace(args[1]->si_pid); trace(args[1]->si_uid);
	trace((uint64_t)args[1]->si_addr); trace(args[1]->si_status);
	trace((uint64_t)arg1 > 1 ? (uint64_t)((struct kernel_siginfo *)arg1)->_sifields._rt._sigval.sival_ptr : 0);
	trace((uint64_t)arg1 > 1);
}

proc:::lwp-exit
/traced[pid]/
{
	this->group = curthread->signal->flags & 4;
	trace((uint64_t)tid << 32 | (uint64_t)pid << 10 | 3);
	trace((int)(this->group ? curthread->signal->group_exit_code : curthread->exit_code));
	missed[tid] = 0;
	traced[pid] = curthread->signal->live.counter != 0;
}
