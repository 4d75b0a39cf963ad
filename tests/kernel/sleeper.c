/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sleeper MS: threads that compute for a moment and then sleep, each in another system call that a stop by ptrace(2)
 * can end with EINTR (signal(7)): epoll_wait, nanosleep, semop, sigtimedwait, recv with a time limit, poll. Prints for
 * each how often it slept, and how often it saw EINTR.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static unsigned long limit_ms;

static unsigned long now_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (unsigned long)ts.tv_sec * 1000000 + (unsigned long)ts.tv_nsec / 1000;
}

static int sleep_epoll(int fd)
{
	struct epoll_event e;

	return epoll_wait(fd, &e, 1, 1);
}

static int sleep_nanosleep(int fd)
{
	const struct timespec ts = { .tv_nsec = 500000 };

	(void)fd;
	return nanosleep(&ts, NULL);
}

/* The other end of the pair adds one every millisecond. */
static int sleep_semop(int fd)
{
	struct sembuf take = { .sem_op = -1 };

	return semop(fd, &take, 1);
}

static int sleep_signal(int fd)
{
	const struct timespec ts = { .tv_nsec = 500000 };
	sigset_t set;

	(void)fd;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &ts);
}

static int sleep_recv(int fd)
{
	char byte;

	return (int)recv(fd, &byte, 1, 0);
}

static int sleep_poll(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 1);
}

static int semaphore(void)
{
	return semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
}

static int epoll_set(void)
{
	return epoll_create1(0);
}

static int limited_socket(void)
{
	const struct timeval limit = { .tv_usec = 1000 };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
	    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit))
		return -1;
	return pair[0];
}

static struct sleeper {
	const char *name;
	int (*sleep)(int fd);
	int (*open)(void);
	int fd;
	unsigned long times, interrupted;
} sleepers[] = {
	{ .name = "epoll_wait", .sleep = sleep_epoll, .open = epoll_set },
	{ .name = "nanosleep", .sleep = sleep_nanosleep },
	{ .name = "semop", .sleep = sleep_semop, .open = semaphore },
	{ .name = "sigtimedwait", .sleep = sleep_signal },
	{ .name = "recv", .sleep = sleep_recv, .open = limited_socket },
	{ .name = "poll", .sleep = sleep_poll, .open = epoll_set },
};
enum { SLEEPERS = sizeof sleepers / sizeof sleepers[0] };

static void *sleeper_run(void *arg)
{
	struct sleeper *s = arg;

	while (now_us(CLOCK_MONOTONIC) / 1000 < limit_ms) {
		unsigned long begun = now_us(CLOCK_THREAD_CPUTIME_ID);

		while (now_us(CLOCK_THREAD_CPUTIME_ID) - begun < 300)
			;
		s->times++;
		s->interrupted += s->sleep(s->fd) < 0 && errno == EINTR;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	struct sembuf give = { .sem_op = 1 };
	pthread_t thread[SLEEPERS];

	limit_ms = now_us(CLOCK_MONOTONIC) / 1000 + (argc > 1 ? strtoul(argv[1], NULL, 10) : 1000);
	for (int i = 0; i < SLEEPERS; i++) {
		sleepers[i].fd = sleepers[i].open ? sleepers[i].open() : -1;
		if (pthread_create(&thread[i], NULL, sleeper_run, &sleepers[i]))
			return 1;
	}
	while (now_us(CLOCK_MONOTONIC) / 1000 < limit_ms + 50) {
		nanosleep(&ms, NULL);
		semop(sleepers[2].fd, &give, 1);
	}
	for (int i = 0; i < SLEEPERS; i++) {
		pthread_join(thread[i], NULL);
		printf("%s slept %lu interrupted %lu\n", sleepers[i].name, sleepers[i].times, sleepers[i].interrupted);
	}
	semctl(sleepers[2].fd, 0, IPC_RMID);
	return 0;
}
