/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that map more code than dtr has numbers for (engine/bpf/unwind/files.h), in a sparse file.
 *
 *	pieces FILE N GB MS	N children, in turn: each maps the next GB gigabytes of the file and runs for
 *				MS milliseconds of CPU time; they end together. Prints their IDs.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* Reports on `done`, then waits until `end` is closed. */
static int child(int fd, uint64_t off, uint64_t bytes, uint64_t ms, int done, int end)
{
	int how = MAP_PRIVATE | MAP_NORESERVE;
	bool mapped = mmap(NULL, bytes, PROT_READ | PROT_EXEC, how, fd, (off_t)off) != MAP_FAILED;
	uint64_t until;
	char c = 0;

	for (until = cpu_ms() + ms; cpu_ms() < until;)
		;
	if (write(done, &c, 1) != 1)
		return 1;
	return read(end, &c, 1) != 0 || !mapped;
}

int main(int argc, char **argv)
{
	int n = argc > 4 ? atoi(argv[2]) : 0, done[2], end[2], status, bad = 0;
	uint64_t bytes = argc > 4 ? (uint64_t)atoi(argv[3]) << 30 : 0, ms = argc > 4 ? (uint64_t)atoi(argv[4]) : 0;
	int fd = n > 0 ? open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	char c;

	if (fd < 0 || ftruncate(fd, (off_t)(bytes * (uint64_t)n)) || pipe(done) || pipe(end))
		return 2;
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid) {
			close(end[1]);
			close(done[0]);
			_exit(child(fd, bytes * (uint64_t)i, bytes, ms, done[1], end[0]));
		}
		if (pid < 0)
			break;
		printf("%d\n", (int)pid);
		if (read(done[0], &c, 1) != 1)
			bad = 1;
	}
	close(end[1]);
	while (wait(&status) > 0)
		bad |= status;
	return bad != 0;
}
