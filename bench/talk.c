/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * talk SECONDS FILE: sends one byte to and fro over a TCP connection of the loopback device, as fast as possible.
 * talk -n COUNT FILE: COUNT connections, one after the other, with a byte in each direction.
 * Writes to FILE how many segments the sockets have sent while they were connected (TCP_INFO).
 */
#include <netinet/in.h>
#include <linux/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct ends {
	int client, server;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int listening(struct sockaddr_in *at)
{
	socklen_t len = sizeof *at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (fd < 0 || bind(fd, (struct sockaddr *)at, sizeof *at) || listen(fd, 8) ||
	    getsockname(fd, (struct sockaddr *)at, &len))
		die("talk: listen");
	return fd;
}

static struct ends connected(int listener, const struct sockaddr_in *at)
{
	struct ends e = { .client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };

	if (e.client < 0 || connect(e.client, (const struct sockaddr *)at, sizeof *at))
		die("talk: connect");
	e.server = accept(listener, NULL, NULL);
	if (e.server < 0)
		die("talk: accept");
	return e;
}

static void round_trip(const struct ends *e)
{
	char c = 'x';

	if (write(e->client, &c, 1) != 1 || read(e->server, &c, 1) != 1 || write(e->server, &c, 1) != 1 ||
	    read(e->client, &c, 1) != 1)
		die("talk: a byte");
}

static unsigned long segments(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof info;

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) ? 0 : info.tcpi_segs_out;
}

static unsigned long closed(const struct ends *e)
{
	unsigned long n = segments(e->client) + segments(e->server);

	close(e->client);
	close(e->server);
	return n;
}

int main(int argc, char **argv)
{
	bool many = argc == 4 && !strcmp(argv[1], "-n");
	unsigned long sent = 0, count = many ? strtoul(argv[2], NULL, 10) : 0;
	double end = now() + (argc == 3 ? atof(argv[1]) : 0);
	struct sockaddr_in at;
	struct ends e;
	int listener;
	FILE *f;

	if (!many && argc != 3) {
		fprintf(stderr, "usage: talk SECONDS FILE | talk -n COUNT FILE\n");
		return 2;
	}
	listener = listening(&at);
	for (unsigned long i = 0; i < count; i++) {
		e = connected(listener, &at);
		round_trip(&e);
		sent += closed(&e);
	}
	if (!many) {
		e = connected(listener, &at);
		while (now() < end)
			round_trip(&e);
		sent = closed(&e);
	}
	f = fopen(argv[argc - 1], "w");
	if (!f)
		die("talk: FILE");
	fprintf(f, "%lu\n", sent);
	return fclose(f) ? 1 : 0;
}
