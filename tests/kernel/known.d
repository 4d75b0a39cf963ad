/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts the events of tests/kernel/known (of the command, whoever else runs one). */
#pragma D option quiet
#pragma D option aggsize=8m
uint64_t came[int];	/* the thread that came onto a CPU last */
self int slept;

proc:::create, proc:::start, proc:::lwp-create, proc:::lwp-start, proc:::lwp-exit, proc:::exec, proc:::exec-success,
proc:::exec-failure, sched:::surrender
/progenyof($target) && (execname == "known" || execname == "known-nap")/
{
	@[probename] = count();
}

proc:::exit /progenyof($target) && (execname == "known" || execname == "known-nap")/
{ @[strjoin("exit-", lltostr(args[0]))] = count(); }
proc:::signal-send /progenyof($target) && args[1]->pr_fname == "known" && execname == "known" && args[2] < 32/
{
	@[strjoin("send-", lltostr(args[2]))] = count();
}
proc:::signal-send /progenyof($target) && args[1]->pr_fname == "known" && args[2] >= 32/ { @["send-rt"] = count(); }
proc:::signal-discard /progenyof($target) && args[1]->pr_fname == "known" && args[2] == 12/
{ @["discard-12"] = count(); }
proc:::signal-handle /progenyof($target) && execname == "known" && (args[0] == 10 || args[0] == 11)/
{
	@[strjoin("handle-", lltostr(args[0]))] = count();
}
proc:::signal-clear /progenyof($target) && execname == "known" && args[0] >= 32/ { @["clear-rt"] = count(); }
proc:::fault /progenyof($target) && execname == "known" && args[1]->si_signo == 11/
{ @[strjoin("fault-", lltostr(args[0]))] = count(); }

syscall::getppid:entry /progenyof($target) && execname == "known"/ { @["getppid"] = count(); }
syscall::getppid:return /progenyof($target) && execname == "known" && arg0 == curpsinfo->pr_ppid && !errno/
{ @["getppid-return"] = count(); }
syscall::close:entry /progenyof($target) && execname == "known"/ { self->fd = (int)arg0; }
syscall::close:return /progenyof($target) && execname == "known" && self->fd == -1 && errno == 9 && arg1 == -9/
{ @["close-EBADF"] = count(); }
syscall::futex:entry
/progenyof($target) && execname == "known" && (int)arg1 == 999 && (int)args[1] == 999 && arg2 == 3 && arg3 == 4 &&
	arg4 == 5 && (int)arg5 == 6 &&
 (int)args[5] == 6 && *(int *)copyin(arg0, 4) == 7/
{
	self->six = 1;
	@["six-args"] = count();
}
syscall::futex:return /self->six && errno == 38 && arg0 == -38 && arg1 == -38/ { @["six-ENOSYS"] = count(); }
syscall::futex:return /progenyof($target) && execname == "known"/ { self->six = 0; }
syscall::writev:* /progenyof($target) && execname == "known"/ { @["writev"] = count(); }

/*
 * The sleeper, and who wakes it. A machine may keep threads of its own from being traced: while one is on a CPU no
 * program runs there, for a switch away from it as little as for an interrupt that wakes another thread. Where a thread
 * leaves a CPU onto which another one came last, such a stretch lay in between. Each time that the sleeper is back it
 * has been woken and has come (woken), has come without a wake-up that was seen (woken-unheard), or has come unseen
 * (woken-unseen).
 */
syscall::*nanosleep:entry /progenyof($target) && execname == "known-nap"/
{ self->nap = 1; came[cpu] = (uint64_t)curthread; }
syscall::*nanosleep:return /self->slept && came[cpu] != (uint64_t)curthread/
{ self->slept = 0; @unseen = count(); @stretches = count(); }
syscall::*nanosleep:return /self->nap/ { self->nap = 0; came[cpu] = (uint64_t)curthread; }
sched:::sleep /self->nap/ { @["naps"] = count(); }
sched:::wakeup /args[0]->pr_state == 1 && args[1]->pr_fname == "known"/ { woken[args[0]->pr_lwpid] = 1; }
sched:::on-cpu /self->slept && woken[tid]/ { self->slept = 0; woken[tid] = 0; @woken = count(); }
sched:::on-cpu /self->slept/ { self->slept = 0; @unheard = count(); }
sdt:::sched_switch /came[cpu] && came[cpu] != arg1/ { @stretches = count(); }
sdt:::sched_switch /self->slept && came[cpu] != arg1/ { self->slept = 0; @unseen = count(); }
sdt:::sched_switch /self->nap && !arg0 && arg3/ { self->slept = 1; }
sdt:::sched_switch { came[cpu] = arg2; }

END { printa("%s %@d\n", @); printa("woken %@d\n", @woken); printa("woken-unseen %@d\n", @unseen);
	printa("woken-unheard %@d\n", @unheard); printa("woken-stretches %@d\n", @stretches); }
