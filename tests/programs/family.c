/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * family KIND...: calls functions in processes that it creates. Each process prints how often it has entered and left
 * them (count.h).
 * KIND: leaf fork orphan vfork clone threads exec vexec many load; wait: for a byte
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count.h"

static const char *program;

COUNTS(leaf);
KNOWN int leaf(int x)
{
	ENTER(leaf);
	LEAVE(leaf);
	return x * 3;
}

static void leaves(int n)
{
	for (int i = 0; i < n; i++)
		leaf(i);
}

static void print(void)
{
	PRINT(leaf);
	fflush(stdout);
}

/* A new process counts from 0. */
static pid_t create(void)
{
	pid_t pid = fork();

	if (!pid)
		entries_leaf = returns_leaf = 0;
	return pid;
}

_Noreturn static void end(void)
{
	print();
	_exit(0);
}

static void wait_all(void)
{
	while (wait(NULL) > 0)
		;
}

/* ---- kinds ---- */
static void forks(void)
{
	if (!create()) {
		leaves(10);
		if (!create()) {
			leaves(7);
			end();
		}
		wait_all();
		leaves(2);
		end();
	}
	leaves(1);
}

/* A process whose parent has ended. */
static void orphan(void)
{
	if (!create()) {
		pid_t parent = getpid();

		leaves(4);
		if (!create()) {
			while (getppid() == parent)
				usleep(1000);
			leaves(5);
		}
		end();
	}
}

/* The child shares the counts. */
static void vforks(void)
{
	if (!vfork()) {
		leaf(1);
		_exit(0);
	}
}

static int share(void *arg)
{
	leaves(6);
	return arg != NULL;
}

static void clones(void)
{
	static char stack[65536] __attribute__((aligned(16)));

	clone(share, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
	wait_all();
}

static void *work(void *arg)
{
	usleep(20000);	/* the first thread should end before; the counts do not depend on it */
	leaves(50);
	return arg;
}

static void *last(void *arg)
{
	pthread_t *t = arg;

	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	end();
}

/* The first thread of the child ends before the others. */
static void threads(void)
{
	static pthread_t t[4];

	if (create())
		return;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, NULL);
	pthread_create(&t[3], NULL, last, t);
	pthread_exit(NULL);
}

static void execute(void)
{
	if (!create()) {
		leaves(3);
		print();
		execl(program, program, "leaf", "fork", NULL);
		_exit(1);
	}
}

static void vexecute(void)
{
	if (!vfork()) {
		execl(program, program, "leaf", NULL);
		_exit(1);
	}
}

static void many(void)
{
	for (int i = 0; i < 300; i++) {
		if (!create()) {
			leaf(i);
			end();
		}
		wait_all();
	}
}

static void load(void)
{
	if (!create()) {
		void *library = dlopen("./plugin.so", RTLD_NOW);

		leaf(1);
		if (library)
			((int (*)(int))dlsym(library, "plugin_run"))(100);
		end();
	}
}

static void one(void)
{
	leaf(1);
}

static void wait_byte(void)
{
	char c;

	if (read(0, &c, 1) != 1)
		_exit(1);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "leaf", one }, { "fork", forks }, { "orphan", orphan }, { "vfork", vforks }, { "clone", clones },
	{ "threads", threads }, { "exec", execute }, { "vexec", vexecute }, { "many", many }, { "load", load },
	{ "wait", wait_byte },
};

int main(int argc, char **argv)
{
	program = argv[0];
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			if (!strcmp(argv[i], kinds[k].name))
				kinds[k].run();
	wait_all();
	print();
	return 0;
}
