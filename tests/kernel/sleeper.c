/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sleeper MS: threads that compute for a moment and then sleep, each in another system call that a stop by ptrace(2)
 * can end with EINTR (signal(7)). Those without a time limit are woken by the first thread, every millisecond. Prints
 * for each how often it slept, and how often it saw EINTR; at the end their number.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct message {
	long type;
	char byte;
};

static unsigned long limit_ms;
static FILE *watched;			/* the file whose changes are waited for */
static struct sockaddr_un full;		/* the address of a queue without room */
static socklen_t full_size;

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

static int sleep_clock(int fd)
{
	const struct timespec ts = { .tv_nsec = 500000 };

	(void)fd;
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	return errno ? -1 : 0;
}

static int sleep_select(int fd)
{
	struct timeval limit = { .tv_usec = 500 };

	(void)fd;
	return select(0, NULL, NULL, NULL, &limit);
}

static int sleep_poll(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 1);
}

static int sleep_pwait(int fd)
{
	struct epoll_event e;
	sigset_t none;

	sigemptyset(&none);
	return epoll_pwait(fd, &e, 1, 1, &none);
}

static int sleep_semop(int fd)
{
	struct sembuf take = { .sem_op = -1 };

	return semop(fd, &take, 1);
}

static int sleep_semtimedop(int fd)
{
	const struct timespec ts = { .tv_nsec = 500000 };
	struct sembuf take = { .sem_op = -1 };

	return semtimedop(fd, &take, 1, &ts);
}

static int sleep_msgrcv(int fd)
{
	struct message m;

	return (int)msgrcv(fd, &m, 1, 0, 0);
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

static int sleep_inotify(int fd)
{
	char event[4096];

	return (int)read(fd, event, sizeof event);
}

static int sleep_recv(int fd)
{
	char byte;

	return (int)recv(fd, &byte, 1, 0);
}

static int sleep_recvmmsg(int fd)
{
	char byte;
	struct iovec v = { &byte, 1 };
	struct mmsghdr m = { .msg_hdr = { .msg_iov = &v, .msg_iovlen = 1 } };

	return recvmmsg(fd, &m, 1, 0, NULL);
}

static int sleep_accept(int fd)
{
	return accept(fd, NULL, NULL);
}

static int sleep_connect(int fd)
{
	return connect(fd, (const struct sockaddr *)&full, full_size);
}

/* ---- what they sleep on ---- */
static int semaphore(void)
{
	return semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
}

static int queue(void)
{
	return msgget(IPC_PRIVATE, IPC_CREAT | 0600);
}

static int epoll_set(void)
{
	return epoll_create1(0);
}

static int watch(void)
{
	char path[64];
	int fd = inotify_init1(0);

	watched = tmpfile();
	if (!watched)
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(watched));
	return inotify_add_watch(fd, path, IN_MODIFY) < 0 ? -1 : fd;
}

/* Sets the time limits of a socket to a millisecond. */
static int limited(int fd)
{
	const struct timeval limit = { .tv_usec = 1000 };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit))
		return -1;
	return fd;
}

static int limited_pair(void)
{
	int pair[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ? -1 : limited(pair[0]);
}

/* A socket with a name that the kernel has chosen. */
static int listener(void)
{
	const struct sockaddr_un any = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return bind(fd, (const struct sockaddr *)&any, sizeof any.sun_family) || listen(fd, 0) ? -1 : limited(fd);
}

/* The queue has room for one. */
static int connector(void)
{
	int fd = listener(), first = socket(AF_UNIX, SOCK_STREAM, 0);

	full_size = sizeof full;
	if (getsockname(fd, (struct sockaddr *)&full, &full_size) ||
	    connect(first, (const struct sockaddr *)&full, full_size))
		return -1;
	return limited(socket(AF_UNIX, SOCK_STREAM, 0));
}

static struct sleeper {
	const char *name;
	int (*sleep)(int fd);
	int (*open)(void);
	int fd;
	unsigned long times, interrupted;
} sleepers[] = {
	{ .name = "semop", .sleep = sleep_semop, .open = semaphore },
	{ .name = "msgrcv", .sleep = sleep_msgrcv, .open = queue },
	{ .name = "inotify", .sleep = sleep_inotify, .open = watch },
	{ .name = "semtimedop", .sleep = sleep_semtimedop, .open = semaphore },
	{ .name = "epoll_wait", .sleep = sleep_epoll, .open = epoll_set },
	{ .name = "epoll_pwait", .sleep = sleep_pwait, .open = epoll_set },
	{ .name = "poll", .sleep = sleep_poll, .open = epoll_set },
	{ .name = "select", .sleep = sleep_select },
	{ .name = "nanosleep", .sleep = sleep_nanosleep },
	{ .name = "clock_nanosleep", .sleep = sleep_clock },
	{ .name = "sigtimedwait", .sleep = sleep_signal },
	{ .name = "recv", .sleep = sleep_recv, .open = limited_pair },
	{ .name = "recvmmsg", .sleep = sleep_recvmmsg, .open = limited_pair },
	{ .name = "accept", .sleep = sleep_accept, .open = listener },
	{ .name = "connect", .sleep = sleep_connect, .open = connector },
};
enum { SEMOP, MSGRCV, INOTIFY, SEMTIMEDOP, SLEEPERS = sizeof sleepers / sizeof sleepers[0] };

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

static void wake_up(void)
{
	struct sembuf give = { .sem_op = 1, .sem_flg = IPC_NOWAIT };
	const struct message m = { .type = 1 };

	semop(sleepers[SEMOP].fd, &give, 1);
	msgsnd(sleepers[MSGRCV].fd, &m, 1, IPC_NOWAIT);
	if (pwrite(fileno(watched), "", 1, 0) < 0)
		perror("pwrite");
}

int main(int argc, char **argv)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	pthread_t thread[SLEEPERS];

	limit_ms = now_us(CLOCK_MONOTONIC) / 1000 + (argc > 1 ? strtoul(argv[1], NULL, 10) : 1000);
	for (int i = 0; i < SLEEPERS; i++) {
		sleepers[i].fd = sleepers[i].open ? sleepers[i].open() : 0;
		if (sleepers[i].fd < 0 || pthread_create(&thread[i], NULL, sleeper_run, &sleepers[i])) {
			perror(sleepers[i].name);
			return 1;
		}
	}
	while (now_us(CLOCK_MONOTONIC) / 1000 < limit_ms + 50) {
		nanosleep(&ms, NULL);
		wake_up();
	}
	for (int i = 0; i < SLEEPERS; i++) {
		pthread_join(thread[i], NULL);
		printf("%s slept %lu interrupted %lu\n", sleepers[i].name, sleepers[i].times, sleepers[i].interrupted);
	}
	printf("calls %d\n", SLEEPERS);
	semctl(sleepers[SEMOP].fd, 0, IPC_RMID);
	semctl(sleepers[SEMTIMEDOP].fd, 0, IPC_RMID);
	msgctl(sleepers[MSGRCV].fd, IPC_RMID, NULL);
	return 0;
}
