/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How often each line runs is known: it is the number at its end. With an argument, the program also creates threads,
 * forks, or executes itself; then not all numbers hold.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TWICE(x) do { (x)++; (x)++; } while (0)

static volatile int sink;
static jmp_buf back;

static int twice(int x)
{
	return 2 * x;				/* = 8 */
}

static inline int one_line(int x) { return x + 1; }	/* = 5 */

static int factorial(int n)
{
	if (n < 2)				/* = 6 */
		return 1;			/* = 1 */
	return n * factorial(n - 1);		/* = 5 */
}

static void jumps(int n)
{
	sink = n;				/* = 3 */
	if (n)					/* = 3 */
		longjmp(back, n);		/* = 2 */
	sink = 0;				/* = 1 */
}

static void branches(void)
{
	int n = 0;				/* = 1 */

	for (int i = 0; i < 7; i++) {		/* = 8 */
		switch (i % 4) {		/* = 7 */
		case 0:
			n++;			/* = 2 */
			break;			/* = 2 */
		case 1: n--; break;		/* = 2 */
		case 2:
			n += twice(i);		/* = 2 */
			/* fall through */
		default:
			n += 3;			/* = 3 */
		}
		if (i == 2)			/* = 7 */
			continue;		/* = 1 */
		else if (i == 5)		/* = 6 */
			n = 0;			/* = 1 */
		n = twice(n) > 3 ? 1 : 2;	/* = 6 */
	}
	sink = n;				/* = 1 */
}

static void loops(void)
{
	int i, k, n = 0;			/* = 1 */

	for (i = 0; i < 10; i++)		/* = 11 */
		n += i;				/* = 10 */
	while (n > 40)				/* = 6 */
		n--;				/* = 5 */
	do {
		n++;				/* = 10 */
	} while (n < 50);			/* = 10 */
	for (i = 0; i < 5; i++) n += one_line(i);	/* = 6 */
	i = 0; while (i < 4) i++;		/* = 5 */
	k = 0; do k++; while (k < 6);		/* = 6 */
	for (i = 0,				/* depends on the compiler */
	     k = 3;				/* = 1 */
	     i < k;				/* = 4 */
	     i++)				/* = 3 */
		TWICE(n);			/* = 3 */
	for (;;) {
		if (n++ > 95)			/* = 26 */
			break;			/* = 1 */
		sink = n; sink = i; sink = k;	/* = 25 */
	}
	for (i = 0; i < 3; i++)			/* = 4 */
		for (k = 0; k < 4; k++)		/* = 15 */
			sink = k;		/* = 12 */
	goto end;				/* = 1 */
	sink = 5;				/* = 0 */
end:
	sink = n;				/* = 1 */
}

static void *thread(void *arg)
{
	for (int i = 0; i < 100; i++)
		sink = i;			/* threads */
	return arg;
}

static void threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, thread, NULL))
			abort();
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void child(void)
{
	pid_t pid = fork();

	if (!pid) {
		loops();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	loops();				/* = 1 */
	branches();				/* = 1 */
	factorial(6);				/* = 1 */
	switch (setjmp(back)) {
	case 0: jumps(1); break;		/* = 1 */
	case 1: jumps(2); break;		/* = 1 */
	case 2: jumps(0); break;		/* = 1 */
	}
	if (argc > 1 && !strcmp(argv[1], "threads"))	/* = 1 */
		threads();			/* = 0 */
	if (argc > 1 && !strcmp(argv[1], "fork"))	/* = 1 */
		child();			/* = 0 */
	if (argc > 1 && !strcmp(argv[1], "exec"))	/* = 1 */
		execl("/proc/self/exe", "lines", NULL);	/* = 0 */
	return 0;				/* = 1 */
}
