/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ends a tracer while it places or removes breakpoints.
 *
 *	breaks PID WHEN SIGNAL COMMAND...
 *
 * Starts COMMAND, and sends it SIGNAL when the code of the program of process PID begins to differ from the file (WHEN
 * is "placing"), or to become equal to it again ("removing"). Waits for the end of COMMAND and until the code is equal.
 * Status 1: it was not within two minutes; prints how many bytes differ. Status 2: something else failed.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_S = 120 };

struct program_code {
	int mem;
	size_t n;
	off_t at;
	char *want, *got;	/* n bytes: of the file, of the process */
};

static int open_of(const char *pid, const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/%s/%s", pid, name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0) {
		perror(path);
		exit(2);
	}
	return fd;
}

/* The first executable mapping is that of the program. */
static struct program_code code_of(const char *pid)
{
	FILE *maps = fdopen(open_of(pid, "maps", O_RDONLY), "r");
	int exe = open_of(pid, "exe", O_RDONLY);
	unsigned long from, to, off;
	struct program_code c = { open_of(pid, "mem", O_RDONLY), 0, 0, NULL, NULL };
	char line[512], mode[8];

	while (maps && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx %7s %lx", &from, &to, mode, &off) == 4 && strchr(mode, 'x'))
			break;
	c.n = to - from;
	c.at = (off_t)from;
	c.want = calloc(1, c.n);
	c.got = calloc(1, c.n);
	if (!maps || !c.want || !c.got || pread(exe, c.want, c.n, (off_t)off) <= 0)
		exit(2);
	fclose(maps);
	close(exe);
	return c;
}

static size_t different(const struct program_code *c)
{
	size_t n = 0;

	if (pread(c->mem, c->got, c->n, c->at) != (ssize_t)c->n)
		exit(2);
	for (size_t i = 0; i < c->n; i++)
		n += c->got[i] != c->want[i];
	return n;
}

static bool ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* Waits for the moment, or for the end of the command. */
static void wait_for(const struct program_code *c, bool removing, pid_t command)
{
	size_t now = 0, before = 0;

	while (!ended(command) && (removing ? now >= before : now == 0)) {
		before = now;
		now = different(c);
	}
}

int main(int argc, char **argv)
{
	struct program_code c;
	pid_t command;
	time_t start;

	if (argc < 5)
		return 2;
	c = code_of(argv[1]);
	command = fork();
	if (command == 0) {
		execvp(argv[4], argv + 4);
		_exit(127);
	}
	wait_for(&c, !strcmp(argv[2], "removing"), command);
	kill(command, atoi(argv[3]));
	waitpid(command, NULL, 0);
	for (start = time(NULL); different(&c) && time(NULL) - start < LIMIT_S;)
		usleep(1000);
	if (different(&c))
		printf("%zu bytes differ\n", different(&c));
	return different(&c) != 0;
}
