#!/usr/bin/env -S dtr -s
/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that the command of -c, or the process of -p, opens: dtr -s opens.d -c 'ls /' */
#pragma D option quiet

syscall::openat:entry
/pid == $target/
{
	self->path = arg1;
}

syscall::openat:return
/self->path/
{
	printf("%4d %s\n", (int)arg0, copyinstr(self->path));
	self->path = 0;
}
