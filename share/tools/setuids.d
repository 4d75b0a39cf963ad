/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "changes of user IDs: setuid, setreuid, setresuid, setfsuid"
#pragma dtr usage "[-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each setuid(), setreuid(), setresuid() and setfsuid() that returns: seconds"
#pragma dtr more "since tracing began, process, user before the call, the call, the IDs that it asks for (-1:"
#pragma dtr more "unchanged), and the result (0 or -ERROR; of setfsuid() the ID before). With -p or -c only that"
#pragma dtr more "process and its descendants are traced."
#pragma D option quiet
#pragma D option bufsize=8m

BEGIN
{
	start = timestamp;
	printf("%10s %7s %-16s %6s %-9s %s\n", "TIME(s)", "PID", "COMM", "UID", "SYSCALL", "ARGS (RET)");
}

syscall::setuid:entry, syscall::setreuid:entry, syscall::setresuid:entry, syscall::setfsuid:entry
/!$target || progenyof($target)/
{
	self->on = 1;
	self->uid = uid;
}

syscall::setuid:return, syscall::setreuid:return, syscall::setresuid:return, syscall::setfsuid:return
/self->on/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d %7d %-16s %6d %-9s ", this->t / 1000000, this->t % 1000000, pid, execname, self->uid,
	    probefunc);
}

syscall::setuid:return, syscall::setfsuid:return
/self->on/
{
	printf("uid=%d (%d)\n", (int)arg2, arg1);
}

syscall::setreuid:return
/self->on/
{
	printf("ruid=%d euid=%d (%d)\n", (int)arg2, (int)arg3, arg1);
}

syscall::setresuid:return
/self->on/
{
	printf("ruid=%d euid=%d suid=%d (%d)\n", (int)arg2, (int)arg3, (int)arg4, arg1);
}

syscall::setuid:return, syscall::setreuid:return, syscall::setresuid:return, syscall::setfsuid:return
{
	self->on = 0;
}
