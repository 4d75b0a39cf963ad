/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls KIND...: calls functions of known kinds and prints how often each was entered and returned (count.h).
 * KIND: recursion threads tail longjmp switch cold arguments fork vfork signal
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count.h"

COUNTS(leaf);
KNOWN int leaf(int x)
{
	ENTER(leaf);
	LEAVE(leaf);
	return x * 3;
}

/* ---- recursion ---- */
COUNTS(factorial);
KNOWN long factorial(long n)
{
	long r;

	ENTER(factorial);
	r = n < 2 ? 1 : n * factorial(n - 1);
	LEAVE(factorial);
	return r;
}

static void recursion(void)
{
	for (int i = 0; i < 20; i++)
		factorial(i);
}

/* ---- threads ---- */
enum { THREADS = 5, ROUNDS = 300 };

COUNTS(busy);
KNOWN void *busy(void *arg)
{
	ENTER(busy);
	for (int i = 0; i < ROUNDS; i++)
		leaf(i);
	LEAVE(busy);
	return arg;
}

static void threads(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, busy, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

/* ---- tail calls ---- */
COUNTS(tail_direct);
KNOWN int tail_direct(int x)
{
	ENTER(tail_direct);
	LEAVE(tail_direct);
	return leaf(x);
}

static int (*volatile target)(int) = leaf;

COUNTS(tail_pointer);
KNOWN int tail_pointer(int x)
{
	int (*f)(int) = target;

	ENTER(tail_pointer);
	LEAVE(tail_pointer);
	return f(x);
}

static int (*const volatile table[])(int) = { leaf, tail_direct };

COUNTS(tail_table);
KNOWN int tail_table(int x)
{
	ENTER(tail_table);
	LEAVE(tail_table);
	return table[x & 1](x);
}

COUNTS(tail_some);
KNOWN int tail_some(int x)
{
	ENTER(tail_some);
	LEAVE(tail_some);
	if (x & 1)
		return leaf(x);
	return x + 1;
}

static void tail(void)
{
	for (int i = 0; i < 100; i++)
		target = i & 1 ? tail_some : leaf, tail_direct(i), tail_pointer(i), tail_table(i), tail_some(i);
}

/* ---- longjmp ---- */
static jmp_buf back;

COUNTS(jumper);
KNOWN int jumper(int x)
{
	ENTER(jumper);
	leaf(x);
	if (x & 1)
		longjmp(back, 1);
	LEAVE(jumper);
	return x;
}

COUNTS(lander);
KNOWN int lander(int x)
{
	ENTER(lander);
	if (!setjmp(back))
		jumper(x);
	LEAVE(lander);
	return x;
}

static void jump(void)
{
	for (int i = 0; i < 50; i++)
		lander(i);
}

/* ---- switch: jumps through a table ---- */
COUNTS(choose);
KNOWN int choose(int x, int y)
{
	int r = 0;

	ENTER(choose);
	switch (x) {
	case 0: r = y + 7; break;
	case 1: r = leaf(y); break;
	case 2: r = y * y; break;
	case 3: r = leaf(y) + leaf(y + 1); break;
	case 4: r = y ^ 0x55; break;
	case 5: r = y / 3; break;
	case 6: r = leaf(1); break;
	case 7: LEAVE(choose); return leaf(y + 2);
	case 8: r = y - 9; break;
	}
	LEAVE(choose);
	return r;
}

static void choices(void)
{
	for (int i = 0; i < 100; i++)
		choose(i % 10, i);
}

/* ---- a part that the compiler moves away ---- */
COUNTS(rare);
__attribute__((cold)) KNOWN void rare(int x)
{
	ENTER(rare);
	leaf(x);
	LEAVE(rare);
}

COUNTS(parted);
KNOWN int parted(int x)
{
	ENTER(parted);
	if (__builtin_expect(x % 10 == 0, 0)) {
		rare(x);
		rare(x + 1);
		LEAVE(parted);
		return x - 1;
	}
	leaf(x);
	LEAVE(parted);
	return x;
}

static void parts(void)
{
	for (int i = 0; i < 100; i++)
		parted(i);
}

/* ---- arguments ---- */
COUNTS(ten);
KNOWN long ten(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	ENTER(ten);
	LEAVE(ten);
	return a + b + c + d + e + f + g + h + i + j;
}

static void arguments(void)
{
	ten(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	ten(-1, -2, -3, -4, -5, -6, -7, -8, -9, -10);
}

/* ---- other processes: their calls do not count ---- */
static void forks(void)
{
	pid_t pid = fork();

	for (int i = 0; i < 10 && !pid; i++)
		leaf(i);
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	leaf(1);
}

/* The child shares the counts. */
static void vforks(void)
{
	pid_t pid = vfork();

	if (!pid) {
		leaf(1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	entries_leaf--;
	returns_leaf--;
}

/* ---- signals ---- */
COUNTS(handler);
KNOWN void handler(int sig)
{
	ENTER(handler);
	leaf(sig);
	LEAVE(handler);
}

static void signals(void)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < 25; i++)
		raise(SIGUSR1);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "recursion", recursion }, { "threads", threads }, { "tail", tail }, { "longjmp", jump },
	{ "switch", choices }, { "cold", parts }, { "arguments", arguments }, { "fork", forks }, { "vfork", vforks },
	{ "signal", signals },
};

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			if (!strcmp(argv[i], kinds[k].name))
				kinds[k].run();
	PRINT(leaf), PRINT(factorial), PRINT(busy), PRINT(tail_direct), PRINT(tail_pointer), PRINT(tail_table);
	PRINT(tail_some), PRINT(jumper), PRINT(lander), PRINT(choose), PRINT(rare), PRINT(parted), PRINT(ten);
	PRINT(handler);
	return 0;
}
