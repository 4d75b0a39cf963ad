/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that take turns on one CPU, and the kernel's own accounting of each, for tests of the sched provider:
 *
 *	turns-a, turns-b	hand a byte to and fro; b has nice 5
 *	turns-s			spins, so that they are preempted
 *	turns-lo, turns-hi	want the same mutex, which inherits priorities: hi is real-time
 *
 * The stretch that counts lies between the calls getpriority(77, 0) and getpriority(78, 0) of a thread; both are made
 * again if the thread was switched while it read its account. It prints "THREAD on N off N sleep N preempt N ran NS
 * waited NS", then facts, "THREAD NAME VALUE". `turns a b` names the threads to make.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 400, SPIN_MS = 150, INHERITED = 5, BEGIN = 77, END = 78 };

struct turn_account {
	unsigned long long ran, waited, on, sleep, preempt;
};

static pthread_barrier_t together;
static pthread_mutex_t shared;
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;
static volatile bool held, wanted;
static int there[2], back[2];

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static unsigned long long field(const char *text, const char *name)
{
	const char *s = strstr(text, name);

	return s ? strtoull(s + strlen(name), NULL, 10) : 0;
}

static void slurp(const char *path, char *to, size_t n)
{
	FILE *f = fopen(path, "re");
	size_t got = f ? fread(to, 1, n - 1, f) : 0;

	if (!got)
		fail(path);
	to[got] = '\0';
	fclose(f);
}

static struct turn_account account(void)
{
	char text[4096];
	struct turn_account a;

	slurp("/proc/thread-self/schedstat", text, sizeof text);
	if (sscanf(text, "%llu %llu %llu", &a.ran, &a.waited, &a.on) != 3)
		fail("schedstat");
	slurp("/proc/thread-self/status", text, sizeof text);
	a.sleep = field(text, "\nvoluntary_ctxt_switches:");
	a.preempt = field(text, "nonvoluntary_ctxt_switches:");
	return a;
}

/* Signals the tracer at a moment at which the account does not change. */
static struct turn_account mark(int which)
{
	struct turn_account before, after;

	do {
		before = account();
		syscall(SYS_getpriority, which, 0);
		after = account();
	} while (before.on != after.on || before.sleep != after.sleep || before.preempt != after.preempt);
	return after;
}

static void report(const char *name, const struct turn_account *a, const struct turn_account *b)
{
	pthread_mutex_lock(&printing);
	printf("%s on %llu off %llu sleep %llu preempt %llu ran %llu waited %llu\n", name, b->on - a->on,
	       b->sleep + b->preempt - a->sleep - a->preempt, b->sleep - a->sleep, b->preempt - a->preempt,
	       b->ran - a->ran,
	       b->waited - a->waited);
	printf("%s tid %ld\n%s nice %d\n", name, syscall(SYS_gettid), name, getpriority(PRIO_PROCESS, 0));
	fflush(stdout);
	pthread_mutex_unlock(&printing);
}

static void pass(int from, int to)
{
	char c = 'x';

	if (read(from, &c, 1) != 1 || write(to, &c, 1) != 1)
		fail("pipe");
}

static void take_turns(bool first)
{
	if (first && write(there[1], "x", 1) != 1)
		fail("pipe");
	for (int i = 0; i < ROUNDS; i++)
		first ? pass(back[0], there[1]) : pass(there[0], back[1]);
}

static void spin(void)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < SPIN_MS);
}

static bool waited_for(void)
{
	return __atomic_load_n(&shared.__data.__lock, __ATOMIC_ACQUIRE) & (int)FUTEX_WAITERS;
}

/* The low one holds the mutex until the high one waits for it. */
static void low(void)
{
	for (int i = 0; i < INHERITED; i++) {
		pthread_mutex_lock(&shared);
		held = true;
		while (!wanted || !waited_for())
			usleep(100);
		usleep(20000);
		held = wanted = false;
		pthread_mutex_unlock(&shared);
	}
}

static void high(void)
{
	struct sched_param p = { .sched_priority = 10 };

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &p))
		fail("no real-time priority");
	for (int i = 0; i < INHERITED; i++) {
		while (!held)
			usleep(100);
		wanted = true;
		pthread_mutex_lock(&shared);
		pthread_mutex_unlock(&shared);
	}
}

static void *thread(void *arg)
{
	const char *kind = arg;
	struct turn_account a, b;
	char name[16];

	snprintf(name, sizeof name, "turns-%s", kind);
	pthread_setname_np(pthread_self(), name);
	if (!strcmp(kind, "b") && setpriority(PRIO_PROCESS, syscall(SYS_gettid), 5))
		fail("nice");
	pthread_barrier_wait(&together);
	a = mark(BEGIN);
	if (!strcmp(kind, "s"))
		spin();
	else if (!strcmp(kind, "lo"))
		low();
	else if (!strcmp(kind, "hi"))
		high();
	else
		take_turns(*kind == 'a');
	b = mark(END);
	report(name, &a, &b);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t inherits;
	pthread_t t[8];
	cpu_set_t set;
	int cpu = 0, n = argc - 1;

	if (n < 1 || n > 8 || sched_getaffinity(0, sizeof set, &set))
		return 2;
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_mutexattr_init(&inherits);
	pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
	if (sched_setaffinity(0, sizeof set, &set) || pipe(there) || pipe(back) || pthread_mutex_init(&shared,
		&inherits))
		fail("setup");
	pthread_barrier_init(&together, NULL, (unsigned)n);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, thread, argv[i + 1]))
			fail("thread");
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	printf("all pid %d\nall ppid %d\nall sid %d\nall pgid %d\nall uid %d\nall threads %d\nall cpu %d\n", getpid(),
	       getppid(),
	       getsid(0), getpgid(0), getuid(), n + 1, cpu);
	return fflush(stdout) != 0;
}
