/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * To be preloaded: kills the process with SIGKILL instead of its call number $KILL_CALL (from 1) that creates, changes
 * or removes something: bpf, perf_event_open, mkdir, unlink, rmdir.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int calls;

static void count(void)
{
	const char *at = getenv("KILL_CALL");

	if (at && ++calls == atoi(at))
		kill(getpid(), SIGKILL);
}

long syscall(long number, ...)
{
	long (*real)(long number, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_bpf || number == SYS_perf_event_open)
		count();
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int mkdir(const char *path, mode_t mode)
{
	count();
	return ((int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir"))(path, mode);
}

int unlink(const char *path)
{
	count();
	return ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path);
}

int rmdir(const char *path)
{
	count();
	return ((int (*)(const char *))dlsym(RTLD_NEXT, "rmdir"))(path);
}
