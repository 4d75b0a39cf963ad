/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "engine/sample/seize.h"

#include <errno.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "engine/sample/traceable.h"

/* Where the handler continues: the kernel would only restart the call. NULL: there is none. */
static _Thread_local sigjmp_buf *volatile after;

int seize_thread(uint32_t tid, uintptr_t options)
{
	sigjmp_buf here;
	int err;

	if (sigsetjmp(here, 1)) {
		after = NULL;
		return traceable_status(tid, "TracerPid") == gettid() ? 0 : EAGAIN;
	}
	after = &here;
	err = ptrace(PTRACE_SEIZE, (pid_t)tid, NULL, (void *)options) ? errno : 0;
	after = NULL;
	return err;
}

void seize_end(int signal)
{
	(void)signal;
	if (after)
		siglongjmp(*after, 1);
}
