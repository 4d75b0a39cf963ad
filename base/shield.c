/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/shield.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 256 * 1024 };

struct shielded {
	int (*fn)(void *arg);
	void *arg;
	int result;
};

static int helper_main(void *arg)
{
	struct shielded *s = arg;

	setpgid(0, 0);	/* signals of a terminal or of timeout(1) are for the group of dtr */
	s->result = s->fn(s->arg);
	return 0;
}

int shield_run(int (*fn)(void *arg), void *arg)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	struct shielded s = { fn, arg, -EINTR };
	sigset_t all, old;
	pid_t pid = -1;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	if (stack != MAP_FAILED)
		pid = clone(helper_main, stack + STACK, CLONE_VM | CLONE_FILES | CLONE_VFORK, &s);
	while (pid > 0 && waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	if (pid < 0)	/* without a helper */
		s.result = fn(arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (stack != MAP_FAILED)
		munmap(stack, STACK);
	return s.result;
}
