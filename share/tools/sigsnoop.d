/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "signals that are sent, by processes and by the kernel"
#pragma dtr usage "[--failed] [-k] [-s SIGNAL] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each signal that is sent: seconds since tracing began, the process that sends"
#pragma dtr more "it or in which the kernel does, the signal, the thread that gets it, and the result: 0 it is"
#pragma dtr more "delivered, 1 ignored, 2 it was pending already, 3 and 4 details or the signal are lost. With -k,"
#pragma dtr more "each kill(), tkill() and tgkill() and what it returns (0 or -ERROR). With -p or -c only what that"
#pragma dtr more "process and its descendants send."
#pragma dtr option --failed $1=1 "only those whose result is not 0"
#pragma dtr option -k $2=1 "only system calls, also those that fail"
#pragma dtr option -s signal $3 "only this signal: TERM, SIGTERM, 15"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,0,-1
#pragma D option bufsize=8m

BEGIN
{
	start = timestamp;
	printf("%10s %7s %-16s %-9s %-7s %-6s\n", "TIME(s)", "PID", "COMM", "SIG", "TPID", "RESULT");
}

sdt:::signal_generate
/!$2 && (!$target || progenyof($target)) && (!$1 || arg4) && ($3 == -1 || args[0] == $3)/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d %7d %-16s %-9d %-7d %-6d\n", this->t / 1000000, this->t % 1000000, pid, execname, args[0],
	    args[2]->pid, args[4]);
}

syscall::kill:return, syscall::tkill:return, syscall::tgkill:return
/$2 && (!$target || progenyof($target)) && (!$1 || errno)/
{
	this->thread = probefunc == "tgkill";
	this->signal = (int)(this->thread ? arg4 : arg3);
	this->to = (int)(this->thread ? arg3 : arg2);
}

syscall::kill:return, syscall::tkill:return, syscall::tgkill:return
/$2 && (!$target || progenyof($target)) && (!$1 || errno) && ($3 == -1 || this->signal == $3)/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d %7d %-16s %-9d %-7d %-6d\n", this->t / 1000000, this->t % 1000000, pid, execname,
	    this->signal, this->to, arg1);
}
