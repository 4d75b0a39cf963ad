/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Accesses variables a known number of times: watched KIND...
 * `wait` first waits for a line on standard input, with threads that exist and others that come and go.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, TIMES = 100, LATER = 20, LATER_TIMES = 5 };

volatile int counter;
volatile signed char small = 1;
volatile unsigned short port = 65535;
volatile long wide = 1;
volatile int *pointer;
volatile double ratio;
volatile struct {
	char kind;
	int limit;
	unsigned flag : 3;
	union {
		short alias;
		unsigned short raw;
	};
	struct { int deep[2][3]; } inner;
} config;
volatile struct { int x, n; } table[4];
static __thread volatile int own;
volatile struct __attribute__((packed)) { char c; int odd; } packed;
static volatile int sink;

static void values(void)
{
	small = -2;
	port = 65534;
	wide = -5000000000;
	config.limit = 7;
	config.raw = 40000;
	config.inner.deep[1][2] = 12;
	table[2].n = -3;
	ratio = 1;
	pointer = &counter;
	own = 1;
	packed.odd = 1;
	config.flag = 1;
}

/* Three writes and two reads. */
static void accesses(void)
{
	counter = 1;
	counter = 2;
	sink = counter;
	sink = counter;
	counter = 3;
}

static int depth_of(int n)
{
	static volatile int level;

	level = n;
	return n ? depth_of(n - 1) + 1 : 0;
}

static void recursion(void)
{
	sink = depth_of(9);
}

static void other(void)
{
	static volatile int level;

	level = 99;
}

/* ---- threads ---- */
static volatile bool go;

static void *adds(void *n)
{
	while (!go)
		usleep(1000);
	for (long i = 0; i < (long)n; i++)
		__atomic_add_fetch(&counter, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void *ends(void *arg)
{
	return arg;
}

/* Creates threads without end, then some that add. */
static void *creates(void *arg)
{
	pthread_t t;

	(void)arg;
	while (!go) {
		if (!pthread_create(&t, NULL, ends, NULL))
			pthread_join(t, NULL);
		usleep(100);
	}
	for (int i = 0; i < LATER; i++) {
		if (pthread_create(&t, NULL, adds, (void *)(long)LATER_TIMES))
			abort();
		pthread_join(t, NULL);
	}
	return NULL;
}

static void threads_run(bool wait)
{
	pthread_t t[THREADS + 1];

	go = !wait;
	for (int i = 0; i <= THREADS; i++)
		if (pthread_create(&t[i], NULL, i ? adds : creates, (void *)(long)TIMES))
			abort();
	if (wait && getchar() < 0)
		abort();
	go = true;
	for (int i = 0; i <= THREADS; i++)
		pthread_join(t[i], NULL);
}

static void threads(void)
{
	threads_run(false);
}

static void waits(void)
{
	threads_run(true);
}

/* ---- what does not count ---- */
static void child_writes(void)
{
	pid_t pid = fork();

	if (!pid) {
		accesses();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void executes(void)
{
	execl("/proc/self/exe", "watched", "accesses", NULL);
	abort();
}

static void kernel_writes(void)
{
	int fd[2], value = 5;

	if (pipe(fd) || write(fd[1], &value, sizeof value) != sizeof value ||
	    read(fd[0], (int *)&counter, sizeof counter) != sizeof counter)
		abort();
}

static void on_signal(int signo)
{
	counter = signo;
}

static void signals(void)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*fn)(void); } kinds[] = {
		{ "values", values }, { "accesses", accesses }, { "recursion", recursion }, { "other", other },
		{ "threads", threads }, { "wait", waits }, { "fork", child_writes }, { "exec", executes },
		{ "kernel", kernel_writes }, { "signal", signals },
	};

	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			if (!strcmp(argv[i], kinds[k].name))
				kinds[k].fn();
	return 0;
}
