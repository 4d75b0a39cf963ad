/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace - system calls of a process, with their arguments and results
 *
 * usage: dtr trace [OPTION]... {COMMAND [ARG]... | -c COMMAND | -p PID}
 *
 * A line for each system call, like strace(1), but the process is not stopped: the calls are recorded in the kernel and
 * decoded afterwards.
 *
 *   -c COMMAND	trace a command; or its words as operands
 *   -p PID	trace a process that runs; Ctrl-C ends tracing
 *   -f	also the processes that it creates
 *   -e CALLS	only these: names and patterns, separated by commas; %file, %desc, %network, %process, %memory,
 *	%signal, %ipc, %clock; !CALLS: all others
 *   -o FILE	write to this file
 *   -O FORMAT	text; json: an object for each line
 *   -s N	show at most N bytes of a buffer (default: 32)
 *   -t	the time of day; -tt: with microseconds; -ttt: seconds since 1970
 *   -r	the time since the previous line
 *   -T	the time that each call takes
 *   -y	paths of descriptors
 *   -z	only calls that succeed
 *   -Z	only calls that fail
 *   -C	counts, errors and times of the calls at the end instead of lines
 *   -x NAME=VALUE	an option of dtr
 *   --script	print the D script instead of running it
 */
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
	trace((uint64_t)tid << 32 | (uint64_t)pid << 10 | 5); trace((int)arg0);
	trace(args[1]->si_code); trace(args[1]->si_pid); trace(args[1]->si_uid);
	trace((uint64_t)args[1]->si_addr); trace(args[1]->si_status);
	trace((uint64_t)arg1 > 1 ? (uint64_t)((struct kernel_siginfo *)arg1)->_sifields._rt._sigval.sival_ptr : 0);
	trace((uint64_t)arg1 > 1);
}

proc:::lwp-exit
/traced[pid]/
{
	this->group = curthread->signal->flags & 4;
	trace((uint64_t)tid << 32 | (uint64_t)pid << 10 | 4);
	trace((int)(this->group ? curthread->signal->group_exit_code : curthread->exit_code));
	self->missed = 0;
	traced[pid] = curthread->signal->live.counter != 0;
}
