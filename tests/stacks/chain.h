/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a program of tests/stacks knows about its own stack: each of its functions enters its name into a record and
 * removes it when it returns. stop() prints the record, then stops at a place that a tracer recognises: the system call
 * getpriority(STOP, n). Lines: "N NAME;NAME;...", outermost first, n as in the call. Special names:
 *
 *	*	exactly one frame of any name
 *	**	any number of frames, also none
 *	?NAME	a frame that may be missing: a tail call removes it unless the compiler does not optimise
 *
 * The record belongs to a thread. A function that stop() ends in spins for `chain_ms` ms of its own CPU time, for
 * samples.
 *
 * Ownership: static data of the program that includes this file once. Errors: none.
 */
#ifndef TESTS_STACKS_CHAIN_H
#define TESTS_STACKS_CHAIN_H

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa))
#endif

#ifdef __cplusplus
extern "C"
#endif
unsigned long stop(unsigned long v);

enum { STOP = 4242, CHAIN_MOST = 100 };

static __thread const char *chain_names[CHAIN_MOST];
static __thread int chain_n;
static int chain_stops, chain_ms;
static int chain_waits;			/* 1: the program reads standard input when it stops, and is blocked there */

static inline void chain_enter(const char *name)
{
	chain_names[chain_n++] = name;
	__asm__ volatile("" : : : "memory");	/* signal handlers read it */
}

static inline void chain_leave(void)
{
	chain_n--;
}

/* Call it at the end of a function: it keeps the compiler from making the last call a tail call. */
static inline unsigned long chain_end(unsigned long v)
{
	chain_leave();
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

/* With write() only, because signal handlers use it, too. */
static inline void chain_print(int n)
{
	char line[2048];		/* small: it may be in the frame of stop() */
	size_t at = (size_t)snprintf(line, 32, "%d ", n);

	for (int i = 0; i < chain_n; i++) {
		size_t len = strlen(chain_names[i]);

		line[at] = ';';
		at += i != 0;
		memcpy(line + at, chain_names[i], len);
		at += len;
	}
	line[at++] = '\n';
	if (write(1, line, at) < 0)
		_exit(9);
}

/* Without a function of the C library in between, where that is possible. */
static inline __attribute__((always_inline)) long chain_call(long number, long a, long b, long c)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "0"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return r;
#else
	return syscall(number, a, b, c);
#endif
}

/* With -w, the process is blocked here until it gets a byte. */
static inline __attribute__((always_inline)) void chain_wait(void)
{
	char c;

	if (chain_waits)
		chain_call(SYS_read, 0, (long)&c, 1);
}

static inline double chain_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* Prints the record; returns the number of the stop. */
static inline int chain_stop(void)
{
	int n = __atomic_add_fetch(&chain_stops, 1, __ATOMIC_RELAXED);

	chain_print(n);
	return n;
}

KEEP unsigned long stop(unsigned long v)
{
	volatile unsigned long sum = v;
	double until;

	chain_enter("stop");
	chain_call(SYS_getpriority, STOP, chain_stop(), 0);
	chain_wait();
	until = chain_time() + chain_ms;
	while (chain_ms && chain_time() < until)
		for (int i = 0; i < 200000; i++)
			sum++;
	return chain_end(sum);
}

#endif
