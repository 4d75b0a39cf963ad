/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "files that are removed soon after they were created"
#pragma dtr usage "[-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each file that is created and removed while tracing: seconds since tracing"
#pragma dtr more "began, the process that removes it, seconds from its creation to its removal, and its path."
#pragma dtr more "Creations are open() and its relatives, removals unlink() and unlinkat(); a file that was renamed,"
#pragma dtr more "or that is removed by a path with symbolic links, is not shown. With -p or -c only files that the"
#pragma dtr more "process and its descendants remove."
#pragma D option quiet
#pragma D option defaultargs
#pragma D option bufsize=8m
#pragma D option dynvarsize=16m
#pragma D option strsize=512
#pragma D option cutmark

uint64_t born[string];
inline string in[string dir, string name] = cleanpath(strjoin(strjoin(dir, "/"), name));

BEGIN
{
	start = timestamp;
	printf("%10s %7s %-16s %7s %s\n", "TIME(s)", "PID", "COMM", "AGE(s)", "FILE");
}

fsinfo:::create
{
	born[args[0]->fi_pathname] = timestamp;
}

syscall::unlink:return
/!errno/
{
	this->name = copyinstr(arg2);
	self->path = substr(this->name, 0, 1) == "/" ? cleanpath(this->name) : in[cwd, this->name];
}

syscall::unlinkat:return	/* AT_FDCWD -100 */
/!errno/
{
	this->name = copyinstr(arg3);
	self->path = substr(this->name, 0, 1) == "/" ? cleanpath(this->name) :
	    in[(int)arg2 == -100 ? cwd : fds[(int)arg2].fi_pathname, this->name];
}

syscall::unlink:return, syscall::unlinkat:return
/!errno && born[self->path] && (!$target || progenyof($target))/
{
	this->t = (timestamp - start) / 1000;
	this->ms = (timestamp - born[self->path]) / 10000000;
	printf("%3d.%06d %7d %-16s %4d.%02d %s\n", this->t / 1000000, this->t % 1000000, pid, execname,
	    this->ms / 100, this->ms % 100, self->path);
}

syscall::unlink:return, syscall::unlinkat:return
/!errno/
{
	born[self->path] = 0;
	self->path = 0;
}
