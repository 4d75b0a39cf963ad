/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One program for all calls of a kind; clauses name different sets of them. */
syscall::read:entry, syscall::write:entry, syscall::close:entry
{
	printf("%s:%s:%s:%s %d", probeprov, probemod, probefunc, probename, id != 0);
	self->fd = arg0;
}

syscall::write:entry
{
	trace(arg1);
	@writes = count();
}

syscall::*:entry
/probefunc != "close"/
{
	@[probefunc, execname] = count();
}

syscall::close:return
{
	printf("%s of %d: %d %d errno %d", probefunc, self->fd, arg0, arg1, errno);
	self->fd = 0;
}

syscall::close:return
/errno/
{
	trace(*(int *)8);
}

ERROR
{
	printf("fault %d", arg4);
}
