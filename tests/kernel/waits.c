/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program that knows its own schedule, for tests/cmd/why.t. Its threads spin, sleep, wait for a mutex, a condition, a
 * pipe, a socket, a child. For each it prints the thread's ID, a name, and in nanoseconds: its whole time, CPU time
 * (schedstat), and for how long it has waited at most (the time of the calls) and at least (what it asked for).
 * Argument: how often each waits, 10 ms (default: 20).
 */
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 10 };

static unsigned rounds = 20;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t turn;
static int pipe_fd[2], socket_fd[2];
static unsigned signalled;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000l }, NULL);
}

static void spin(unsigned round)
{
	const uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + MS * 1000000ull;

	(void)round;
	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void snooze(unsigned round)
{
	(void)round;
	sleep_ms(MS);
}

/* Each wait for another thread begins when that one has what is waited for. */
static void take_lock(unsigned round)
{
	(void)round;
	pthread_barrier_wait(&turn);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&turn);
}

static void wait_condition(unsigned round)
{
	pthread_mutex_lock(&held);
	while (signalled <= round)
		pthread_cond_wait(&condition, &held);
	pthread_mutex_unlock(&held);
}

static void read_pipe(unsigned round)
{
	char c;

	(void)round;
	if (read(pipe_fd[0], &c, 1) != 1)
		exit(1);
}

static void read_socket(unsigned round)
{
	char c;

	(void)round;
	if (recv(socket_fd[0], &c, 1, 0) != 1)
		exit(1);
}

static void poll_nothing(unsigned round)
{
	(void)round;
	poll(NULL, 0, MS);
}

static void wait_child(unsigned round)
{
	pid_t pid;

	(void)round;
	pid = vfork();
	if (!pid) {
		sleep_ms(MS);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static const struct wait_part {
	const char *name;
	void (*wait)(unsigned round);
} parts[] = {
	{ "spin", spin }, { "sleep", snooze }, { "lock", take_lock }, { "condition", wait_condition },
	{ "pipe", read_pipe }, { "socket", read_socket }, { "poll", poll_nothing }, { "child", wait_child },
};
enum { PARTS = sizeof parts / sizeof *parts };

/* CPU time in ns: the first number of /proc/PID/task/TID/schedstat. */
static uint64_t ran(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "r");
	uint64_t ns = 0;

	if (!f || fscanf(f, "%" SCNu64, &ns) != 1)
		ns = 0;
	if (f)
		fclose(f);
	return ns;
}

static void *run(void *arg)
{
	const struct wait_part *p = arg;
	const uint64_t begin = now(CLOCK_MONOTONIC);
	uint64_t waited = 0;

	for (unsigned i = 0; i < rounds; i++) {
		const uint64_t t = now(CLOCK_MONOTONIC);

		p->wait(i);
		waited += now(CLOCK_MONOTONIC) - t;
	}
	/* one write, as its own time is not measured */
	printf("%d %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (int)gettid(), p->name, now(CLOCK_MONOTONIC) - begin,
	       ran(), waited);
	return NULL;
}

/* What the others wait for: it has the lock while it sleeps. */
static void serve(void)
{
	for (unsigned i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		pthread_barrier_wait(&turn);
		sleep_ms(MS);
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&held);
		signalled++;
		pthread_cond_signal(&condition);
		pthread_mutex_unlock(&held);
		if (write(pipe_fd[1], "", 1) != 1 || send(socket_fd[1], "", 1, 0) != 1)
			exit(1);
		pthread_barrier_wait(&turn);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[PARTS];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1)
		rounds = (unsigned)atoi(argv[1]);
	if (pipe(pipe_fd) || socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fd))
		return 1;
	pthread_barrier_init(&turn, NULL, 2);
	for (unsigned i = 0; i < PARTS; i++)
		pthread_create(&threads[i], NULL, run, (void *)&parts[i]);
	serve();
	for (unsigned i = 0; i < PARTS; i++)
		pthread_join(threads[i], NULL);
	printf("%d main 0 0 0\n", (int)getpid());
	return 0;
}
