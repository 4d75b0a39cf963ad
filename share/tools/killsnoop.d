/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "signals that processes send"
#pragma dtr usage "[--failed] [-s SIGNAL] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each kill(), tkill(), tgkill() and pidfd_send_signal() that returns: seconds since"
#pragma dtr more "tracing began, the process, the signal, the target (a process; negative: a process group; for tkill()"
#pragma dtr more "a thread, for pidfd_send_signal() a descriptor) and the error (0: none). With -p or -c only what that"
#pragma dtr more "process and its descendants send."
#pragma dtr option --failed $1=1 "only calls that fail"
#pragma dtr option -s signal $2 "only this signal: TERM, SIGTERM, 15"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,-1
#pragma D option bufsize=8m
#pragma D option cutmark

BEGIN
{
	start = timestamp;
	printf("%10s %7s %-16s %6s %8s %5s %s\n", "TIME s", "PID", "NAME", "SIGNAL", "TARGET", "ERROR", "CALL");
}

syscall::kill:entry, syscall::tkill:entry, syscall::pidfd_send_signal:entry
/!$target || progenyof($target)/
{
	self->on = 1;
	self->to = (int)arg0;
	self->signal = (int)arg1;
}

syscall::tgkill:entry
/!$target || progenyof($target)/
{
	self->on = 1;
	self->to = (int)arg0;
	self->signal = (int)arg2;
}

syscall::kill:return, syscall::tkill:return, syscall::pidfd_send_signal:return, syscall::tgkill:return
/self->on && (!$1 || errno) && ($2 == -1 || self->signal == $2)/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d %7d %-16s %6d %8d %5d %s\n", this->t / 1000000, this->t % 1000000, pid, execname,
	    self->signal, self->to, errno, probefunc);
}

syscall::kill:return, syscall::tkill:return, syscall::pidfd_send_signal:return, syscall::tgkill:return
{
	self->on = 0;
}
