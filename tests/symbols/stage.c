/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One of several programs that differ in the name of a function, LOOP: linked alike, they have it at the same address.
 * It spins there, then executes the next program. Usage: stage MILLISECONDS [NEXT...]; they are of its own CPU time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void LOOP(void);

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

__attribute__((noinline)) void LOOP(void)
{
	for (unsigned long i = 0; i < 1000000; i++)
		__asm__ volatile("" : "+r"(i));
}

int main(int argc, char **argv)
{
	char *next;
	double until = now() + (argc > 1 ? atof(argv[1]) : 100) / 1000;

	while (now() < until)
		LOOP();
	if (argc < 3)
		return 0;
	next = argv[2];
	argv[2] = argv[1];
	argv[1] = next;
	execv(next, argv + 1);
	perror(next);
	return 1;
}
