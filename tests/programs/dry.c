/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A mix of loops, string functions, records and recursion for `dtr prog`. How often each line is executed is the number
 * at its end; a procedure's calls are the number after its name.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 500 };

struct dry {
	struct dry *next;
	int number, kind;
	char text[32];
};

volatile int counter;			/* from 0 to TURNS, read once per turn */
static struct dry first, second;
static jmp_buf back;

static int length(const char *s)	/* calls 1000 */
{
	int n = 0;			/* = 1000 */

	while (s[n])			/* = 31000 */
		n++;			/* = 30000 */
	return n;			/* = 1000 */
}

static int compare(const char *a, const char *b)	/* calls 500 */
{
	int n = length(a);		/* = 500 */

	if (n != length(b))		/* = 500 */
		return 1;		/* = 0 */
	for (int i = 0; i < n; i++)	/* = 8500 */
		if (a[i] != b[i])	/* = 8500 */
			return a[i] - b[i];	/* = 500 */
	return 0;			/* = 0 */
}

static int sum_to(int n)		/* calls 55 */
{
	if (n == 0)			/* = 55 */
		return 0;		/* = 5 */
	return n + sum_to(n - 1);	/* = 50 */
}

static void assign(struct dry *r, int number)	/* calls 500 */
{
	r->number = number;		/* = 500 */
	r->kind = number % 3;		/* = 500 */
	if (r->kind == 2)		/* = 500 */
		r->next = NULL;		/* = 166 */
}

static void leave(int n)		/* calls 12 */
{
	if (n == 0)			/* = 12 */
		longjmp(back, 1);	/* = 2 */
	leave(n - 1);			/* = 10 */
}

static void jumps(void)			/* calls 2 */
{
	if (!setjmp(back))		/* = 2 */
		leave(5);		/* = 2 */
}

static void never(void)			/* calls 0 */
{
	counter = -1;			/* = 0 */
}

static void *run(void *arg)		/* calls 2 */
{
	for (int i = 0; i < TURNS / 2; i++) {	/* = 502 */
		assign(arg, i);		/* = 500 */
	}
	return arg;			/* = 2 */
}

int main(int argc, char **argv)		/* calls 1 */
{
	pthread_t thread;

	strcpy(first.text, "a text of thirty characters 01");
	strcpy(second.text, "a text of thirty, but not same");
	if (argc > 9)			/* = 1 */
		never();		/* = 0 */
	for (int i = 0; i < TURNS; i++) {	/* = 501 */
		compare(first.text, second.text);	/* = 500 */
		counter = counter + 1;	/* = 500 */
	}
	for (int i = 0; i < 5; i++)	/* = 6 */
		sum_to(10);		/* = 5 */
	jumps();			/* = 1 */
	jumps();			/* = 1 */
	if (pthread_create(&thread, NULL, run, &first))	/* = 1 */
		return 1;		/* = 0 */
	run(&second);			/* = 1 */
	pthread_join(thread, NULL);	/* = 1 */
	return argv == NULL;		/* = 1 */
}
