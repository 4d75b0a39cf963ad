/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls_known N: calls getppid() N times, at most N / 2 a second, also after it has lost the CPU: so a session can
 * react meanwhile, and calls that are left out cost little. Each call is in the function called().
 * calls_known N FILE WORD: does so until the file contains the word, then once more; prints the number of calls.
 * calls_known forever: until it is killed.
 */
#include <stdbool.h>
#include <stdio.h>
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

static bool contains(const char *path, const char *word)
{
	static char text[1 << 16];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return strstr(text, word) != NULL;
}

/* Probes of this process only are here. */
__attribute__((noinline)) void called(void);

void called(void)
{
	syscall(SYS_getppid);
}

static void call(long n)
{
	double last;

	for (long i = 0; i < n; i++) {
		last = now();
		called();
		while (now() - last < 2.0 / (double)n)
			;
	}
}

int main(int argc, char **argv)
{
	bool forever = argc > 1 && !strcmp(argv[1], "forever");
	long n = argc > 1 ? atol(argv[1]) : 0, all = n;

	while (forever)
		syscall(SYS_getppid);
	for (; argc > 3 && !contains(argv[2], argv[3]); all += n)
		call(n);
	call(n);
	if (argc > 3)
		printf("calls %ld\n", all);
	return 0;
}
