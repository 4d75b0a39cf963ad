/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "engine/sample/traceable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "engine/sample/source.h"
#include "engine/sample/tasks.h"

enum { MEMORY_TRIES = 50 };

int64_t traceable_status(uint32_t id, const char *field)
{
	char path[64], line[128];
	int64_t value = -1;
	size_t n = strlen(field);
	FILE *f;

	snprintf(path, sizeof path, "/proc/%u/status", id);
	f = fopen(path, "re");
	while (f && value < 0 && fgets(line, sizeof line, f))
		if (!strncmp(line, field, n) && line[n] == ':')
			value = strtoll(line + n + 1, NULL, 10);
	if (f)
		fclose(f);
	return value;
}

bool traceable_held(uint32_t pid)
{
	int64_t tracer = traceable_status(pid, "TracerPid");

	return tracer > 0 && task_exists((uint32_t)getpid(), (uint32_t)tracer);
}

/* Nothing is read: the address is invalid. EFAULT: the process may be traced. While another thread than the first one
 * executes a program, there is no memory for a moment (ESRCH). */
static int memory_errno(int64_t pid)
{
	char byte;
	struct iovec local = { &byte, 1 }, remote = { (void *)1, 1 };
	int err = ESRCH;

	for (int i = 0; i < MEMORY_TRIES && err == ESRCH && task_exists((uint32_t)pid, (uint32_t)pid); i++) {
		if (i)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		err = process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0) < 0 ? errno : 0;
	}
	return err;
}

int traceable_check(const struct source_want *w, bool *held, char *reason, size_t n)
{
	int64_t pid = w->target, other;
	int err;

	if (pid < 0) {
		snprintf(reason, n, "ptrace(2) needs a target (-c, -p)");
		return -EINVAL;
	}
	/* this process is not traced by itself: ESRCH */
	if (ptrace(PTRACE_INTERRUPT, getpid(), NULL, NULL) < 0 && errno != ESRCH) {
		err = errno;
		snprintf(reason, n, "ptrace(2) is not permitted: %s", strerror(err));
		return -err;
	}
	if (w->untraced) {
		snprintf(reason, n, "the command has privileges of its file (set-user-ID, set-group-ID, "
			 "capabilities), which it would lose if ptrace(2) traced it");
		return -EPERM;
	}
	other = traceable_status((uint32_t)pid, "TracerPid");
	*held = other > 0 && traceable_held((uint32_t)pid);
	if (other > 0 && !*held) {
		snprintf(reason, n, "process %" PRId64 " is traced by process %" PRId64 " (ptrace(2))", pid,
			 traceable_status((uint32_t)other, "Tgid"));
		return -EBUSY;
	}
	err = memory_errno(pid);
	if (!err || err == EFAULT)
		return 0;
	snprintf(reason, n, "process %" PRId64 " may not be traced: %s (it is another user's, has privileges, or "
		 "kernel.yama.ptrace_scope permits children only)", pid, strerror(err));
	return -err;
}

bool traceable_strips(uint32_t pid, uint32_t euid, uint32_t egid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%u/exe", pid);
	if (stat(path, &st))
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != euid) ||
	       (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != egid) ||
	       (euid && getxattr(path, "security.capability", NULL, 0) > 0);
}
