/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ids calls|proc: in two threads, prints "IDS tid pid ppid pgid sid uid gid nice", then calls getpgid(424242), which a
 * tracer can see. calls: the numbers are what system calls return. proc: the IDs are those of /proc/thread-self, that
 * is, in the PID name space of the mounted /proc; the last four are those of system calls. As root, the program becomes
 * another user first.
 */
#include <grp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { UID = 4321, GID = 1234, NICE = 7, MARK = 424242 };

/* The first number of a line of /proc/thread-self/status, -1 if there is none. */
static long status(const char *name)
{
	FILE *f = fopen("/proc/thread-self/status", "r");
	size_t n = strlen(name);
	char line[256];
	long v = -1;

	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, name, n))
			v = strtol(line + n, NULL, 10);
	if (f)
		fclose(f);
	return v;
}

static void report(bool proc)
{
	long tid = proc ? status("Pid:") : syscall(SYS_gettid), pid = proc ? status("Tgid:") : getpid();
	long ppid = proc ? status("PPid:") : getppid(), pgid = proc ? status("NSpgid:") : getpgrp();
	long sid = proc ? status("NSsid:") : getsid(0);

	printf("IDS %ld %ld %ld %ld %ld %u %u %d\n", tid, pid, ppid, pgid, sid, getuid(), getgid(),
	       getpriority(PRIO_PROCESS, 0));
	fflush(stdout);
	syscall(SYS_getpgid, MARK);
}

static void *thread(void *proc)
{
	report(*(bool *)proc);
	return NULL;
}

int main(int argc, char **argv)
{
	bool proc = argc > 1 && !strcmp(argv[1], "proc");
	pthread_t t;

	if (setpriority(PRIO_PROCESS, 0, NICE))
		return 1;
	if (!getuid() && (setgroups(0, NULL) || setgid(GID) || setuid(UID)))
		return 1;
	report(proc);
	if (pthread_create(&t, NULL, thread, &proc) || pthread_join(t, NULL))
		return 1;
	return 0;
}
