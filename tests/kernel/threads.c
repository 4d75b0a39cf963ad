/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a tracer can be asked about threads:
 *
 *	threads reuse N MS	N processes, one after the other and all with one ID, each of which runs for MS
 * milliseconds
 *	threads share N MS	N times runs for MS milliseconds and sleeps as long; prints its thread's CPU time (ns)
 *				and the monotonic clock (ns) afterwards
 *	threads call MS		runs for MS milliseconds of CPU time in a function; prints first where that one returns
 *				to
 *	threads calls		calls getpgid() until it is ended, for ten minutes at most
 *	threads crowd N LIVE MS	LIVE threads call getpgid() twice and wait; N threads, one after the other, call it
 *				twice, run for MS milliseconds of CPU time and end; then the others call it twice again
 *	threads sleep		prints its own ID and sleeps for a minute
 */
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void spin(uint64_t ms)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/* A child of this ID, any if it is 0. */
static pid_t child(pid_t id, uint64_t ms)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = id ? (uintptr_t)&id : 0, .set_tid_size = id ? 1 : 0,
	};
	long pid = syscall(SYS_clone3, &args, sizeof args);

	if (pid)
		return (pid_t)pid;
	spin(ms);
	_exit(0);
}

/* ---- many threads ---- */
static pthread_barrier_t turn;
static uint64_t crowd_ms;

static void call_twice(void)
{
	getpgid(0);
	getpgid(0);
}

static void *thread_live(void *arg)
{
	call_twice();
	pthread_barrier_wait(&turn);	/* the short threads begin */
	pthread_barrier_wait(&turn);	/* and have ended */
	call_twice();
	pthread_barrier_wait(&turn);
	return arg;
}

static void *thread_short(void *arg)
{
	call_twice();
	spin(crowd_ms);
	return arg;
}

static int crowd(int n, int live)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	pthread_barrier_init(&turn, NULL, (unsigned)live + 1);
	for (int i = 0; i < live; i++)
		if (pthread_create(&t, &attr, thread_live, NULL))
			return 1;
	pthread_barrier_wait(&turn);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t, &attr, thread_short, NULL) || pthread_join(t, NULL))
			return 1;
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	return 0;
}

static int reuse(int n, uint64_t ms)
{
	pid_t first = 0;
	int status;

	for (int i = 0; i < n; i++) {
		pid_t pid = child(first, ms);

		if (pid < 0) {
			perror("clone3");
			return 1;
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
		first = first ? first : pid;
	}
	printf("%d\n", (int)first);
	return 0;
}

static int share(int n, uint64_t ms)
{
	struct timespec pause = { 0, (long)ms * 1000000 };

	for (int i = 0; i < n; i++) {
		spin(ms);
		nanosleep(&pause, NULL);
	}
	printf("%llu %llu\n", (unsigned long long)now(CLOCK_THREAD_CPUTIME_ID),
	       (unsigned long long)now(CLOCK_MONOTONIC));
	return 0;
}

/* Only calls what is compiled into it: its own frame is the innermost one. */
__attribute__((noinline)) static void called(volatile int *stop)
{
	volatile unsigned long n = 0;

	if (!*stop) {
		printf("%llx\n", (unsigned long long)(uintptr_t)__builtin_return_address(0));
		fflush(stdout);
	}
	while (!*stop)
		n++;
}

static volatile int over;

static void alarmed(int signal)
{
	(void)signal;
	over = 1;
}

static int call(uint64_t ms)
{
	struct timespec ts = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };
	struct itimerspec when = { .it_value = ts };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	timer_t timer;

	signal(SIGALRM, alarmed);
	if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &ev, &timer) || timer_settime(timer, 0, &when, NULL))
		return 1;
	called(&over);
	return 0;
}

static int calls(void)
{
	uint64_t end = now(CLOCK_MONOTONIC) + 600 * 1000000000ull;

	while (now(CLOCK_MONOTONIC) < end)
		if (syscall(SYS_getpgid, 0) < 0)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "reuse") && argc > 3)
		return reuse(atoi(argv[2]), (uint64_t)atoi(argv[3]));
	if (!strcmp(what, "crowd") && argc > 4) {
		crowd_ms = (uint64_t)atoi(argv[4]);
		return crowd(atoi(argv[2]), atoi(argv[3]));
	}
	if (!strcmp(what, "share") && argc > 3)
		return share(atoi(argv[2]), (uint64_t)atoi(argv[3]));
	if (!strcmp(what, "call") && argc > 2)
		return call((uint64_t)atoi(argv[2]));
	if (!strcmp(what, "calls"))
		return calls();
	if (strcmp(what, "sleep"))
		return 2;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	sleep(60);
	return 0;
}
