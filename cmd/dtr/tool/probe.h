/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions and probes as users of bcc name them, as probe descriptions of D:
 *
 *	vfs_read, p::vfs_read		fbt::vfs_read
 *	c:malloc, p:c:malloc		pid*:libc:malloc, if there is a library libc.so
 *	bash:readline			pid*:bash:readline
 *	/bin/bash:readline		pid*:/bin/bash:readline
 *	t:sched:sched_switch, t:block:*	sdt:::sched_switch, sdt:::block_*
 *	t:syscalls:sys_enter_read	syscall::read:entry
 *	u:c:libc:setjmp			libc*:libc::setjmp
 *	r:c:malloc, r::vfs_read		pid*:libc:malloc:return, fbt::vfs_read:return
 *	pid123:libc:malloc, ...		the same: a description of D
 *
 * Ownership: the arena. Errors: NULL if the text is none of these.
 */
#ifndef CMD_DTR_TOOL_PROBE_H
#define CMD_DTR_TOOL_PROBE_H

#include "base/arena.h"

/* A description up to the function, without the name. */
const char *probe_function(struct arena *a, const char *text);
/* A whole description; of a function its entry. */
const char *probe_described(struct arena *a, const char *text);

#endif
