/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * traced: makes system calls with known arguments, for `dtr trace`. It first reads a line from standard input, so that
 * a tracer can attach to it.
 *	traced calls	one after the other
 *	traced threads	in two threads at once
 *	traced many N	N cheap calls
 *	traced killed	until it kills itself
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int number(int v)
{
	return v;
}

static void files(void)
{
	static const char hostile[] = "no\033[31m \"such\" \n\377file";
	char long_path[2000], bytes[8] = { 0 };
	int fds[2] = { -1, -1 }, fd;

	memset(long_path, 'x', sizeof long_path);
	long_path[sizeof long_path - 1] = '\0';
	number(open("/etc/no-such-file", O_RDWR | O_CREAT | O_EXCL | O_DIRECTORY, 0640));
	number(open(hostile, O_RDONLY));
	number(open(long_path, O_RDONLY));
	syscall(SYS_openat, AT_FDCWD, (void *)0x10, O_RDONLY);
	number(access("/", R_OK | X_OK));
	number(pipe(fds));
	number((int)write(fds[1], "a\0\001\"\\\n", 6));
	number((int)read(fds[0], bytes, sizeof bytes));
	number((int)writev(fds[1], (struct iovec[]){ { (void *)"one", 3 }, { (void *)"four", 4 } }, 2));
	number((int)readv(fds[0], (struct iovec[]){ { bytes, 4 }, { bytes + 4, 4 } }, 2));
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	number((int)lseek(fd, -1, SEEK_CUR));
	number(fcntl(fd, F_GETFD));
	number(fcntl(fd, F_DUPFD_CLOEXEC, 100));
	syscall(SYS_write, fd, (void *)0x10, 5);
	number(close(fd));
	number(close(-1));
}

/* A message of two buffers with a descriptor, read without space for it. */
static void messages(int passed)
{
	int fds[2] = { -1, -1 }, one = 1;
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, bytes[10];
	struct iovec out[] = { { (void *)"to", 2 }, { (void *)"gether", 6 } };
	struct iovec in[] = { { bytes, 5 }, { bytes + 5, 5 } };
	struct msghdr m = { .msg_iov = out, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof control };
	struct msghdr got = { .msg_iov = in, .msg_iovlen = 2 };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof passed), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(c), &passed, sizeof passed);
	number(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	number(setsockopt(fds[0], SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one));
	number((int)sendmsg(fds[0], &m, 0));
	number(poll(&(struct pollfd){ .fd = fds[1], .events = POLLIN }, 1, 0));
	number((int)recvmsg(fds[1], &got, 0));
}

static void sockets(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = { htonl(0x7f000001) } };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/no/such/socket" };
	struct epoll_event e = { .events = EPOLLIN | EPOLLET, .data.u64 = 7 };
	struct pollfd p = { .fd = -1, .events = POLLIN | POLLOUT };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), u = socket(AF_UNIX, SOCK_STREAM, 0);
	int ep = epoll_create1(EPOLL_CLOEXEC);
	socklen_t n = sizeof in;

	number(connect(s, (void *)&in, sizeof in));
	number(connect(u, (void *)&un, sizeof un));
	number(getpeername(s, (void *)&in, &n));
	number(epoll_ctl(ep, EPOLL_CTL_ADD, s, &e));
	number(poll(&p, 1, 0));
	messages(ep);
}

static void handle(int sig)
{
	(void)sig;
}

/* Waits until a thread of this program or its parent sleeps, which it does in one call only. */
static void await_sleep(const volatile pid_t *tid)
{
	char path[64], state = 0;
	FILE *f;

	while (state != 'S') {
		usleep(1000);
		snprintf(path, sizeof path, "/proc/%d/stat", *tid);
		f = *tid ? fopen(path, "r") : NULL;
		if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		if (f)
			fclose(f);
	}
}

/* The child lives until its parent waits for it. */
static void processes(void)
{
	struct timespec t = { 0, 1000 };
	const pid_t self = getpid();
	int status;
	pid_t pid;

	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = handle, .sa_flags = SA_RESTART }, NULL);
	kill(self, SIGUSR1);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	pid = fork();
	if (!pid) {
		await_sleep(&self);
		execl("/no/such/program", "program", "one", "t\"wo", NULL);
		execl("/bin/sh", "sh", "-c", "exit 3", NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
}

static volatile pid_t reader;

static void *sleeper(void *arg)
{
	char c;

	reader = gettid();
	number((int)read(*(int *)arg, &c, 1));
	return NULL;
}

static void threads(void)
{
	int fds[2];
	pthread_t t;

	number(pipe(fds));
	pthread_create(&t, NULL, sleeper, &fds[0]);
	await_sleep(&reader);
	number((int)write(fds[1], "x", 1));
	pthread_join(t, NULL);
}

static void many(unsigned long n)
{
	while (n--)
		syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char line[16];

	close_range(3, ~0U, 0); /* the numbers of descriptors are known */
	if (!fgets(line, sizeof line, stdin))
		line[0] = '\0';
	if (!strcmp(what, "threads"))
		threads();
	if (!strcmp(what, "many"))
		many(argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
	if (!strcmp(what, "killed"))
		kill(getpid(), SIGKILL);
	if (!strcmp(what, "calls")) {
		files();
		sockets();
		processes();
	}
	return 0;
}
