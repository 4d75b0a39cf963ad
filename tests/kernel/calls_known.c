/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls_known N [SECONDS]: calls getppid() N times, evenly over at least 2 s (SECONDS), so that a session can react
 * meanwhile.
 * calls_known forever: until it is killed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	int forever = argc > 1 && !strcmp(argv[1], "forever");
	long n = argc > 1 ? atol(argv[1]) : 0;
	double begun = now(), seconds = argc > 2 ? atof(argv[2]) : 2;

	for (long i = 0; forever || i < n; i++) {
		syscall(SYS_getppid);
		while (!forever && now() - begun < seconds * (double)i / (double)n)
			;
	}
	return 0;
}
