/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * reads COUNT FILE: reads 0 bytes of /dev/zero COUNT times, in ROUNDS rounds; each read calls vfs_read once. Writes the
 * time of a read in ns to FILE: that of the fastest round, by the thread's CPU time. bench/fbt.sh compares tracers.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 25 };

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double round_of(int fd, unsigned long n)
{
	double begin = cpu_ns();
	char c;

	for (unsigned long i = 0; i < n; i++)
		if (read(fd, &c, 0))
			exit(1);
	return (cpu_ns() - begin) / (double)n;
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 3 ? strtoul(argv[1], NULL, 0) / ROUNDS : 0;
	int fd = open("/dev/zero", O_RDONLY);
	double best = 0, ns;
	FILE *out;

	if (!n || fd < 0)
		return 2;
	for (int i = 0; i < ROUNDS; i++) {
		ns = round_of(fd, n);
		if (!i || ns < best)
			best = ns;
	}
	out = fopen(argv[2], "w");
	if (!out)
		return 1;
	fprintf(out, "%.0f\n", best);
	return fclose(out) != 0;
}
