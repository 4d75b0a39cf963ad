/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exact profiler for microcontrollers: each thread's share of the processor in a small real-time system, measured
 * at each thread switch, in hundredths of a percent. `dtr exact` is the same for Linux.
 *
 * It uses 32-bit arithmetic, without 64-bit divisions. It allocates nothing and needs no library. C99 or C++.
 *
 * Set these before including it:
 *
 *	EXACT_PROFILER_ENABLE		1, or 0 to compile all calls to nothing
 *	EXACT_PROFILER_THREADS		the number of threads, including the idle thread; they are numbered from 0
 *	EXACT_PROFILER_UPDATE_PERIOD	N: results are computed after N ticks of the timer; 1 to 429496.
 *					With ticks of t seconds, the period is N * t: 300000 ticks of 6.4 us are 1.92 s
 *	EXACT_PROFILER_HOOK(p)		optional: runs after new results were computed; p is the struct exact_profiler *
 *
 * and supply the timer, which returns the ticks since its last call from any counter that the hardware has:
 *
 *	uint32_t time_interval(void);
 *
 * Then call, with interrupts off or from the scheduler only,
 *
 *	exact_profiler_start(p)		once, before the first thread runs
 *	exact_profiler_switch(p, leaving)	at each thread switch
 *	exact_profiler_update(p, running)	several times per period, e.g. from the timer's interrupt or the idle
 *					thread: counts the running thread's time up to now; returns 1 if the
 *					period is over and there are new results
 *	exact_profiler_result(p, thread)	R = n * 10000 / N of the last period, 0 to 10000
 *
 * Nothing can fail. If updates are so rare that a period exceeds 429496 ticks, low bits are dropped until n * 10000
 * fits in 32 bits; the counts saturate at 32 bits.
 */
#ifndef EXACT_PROFILER_H
#define EXACT_PROFILER_H

#ifndef EXACT_PROFILER_ENABLE
#define EXACT_PROFILER_ENABLE 1
#endif

/* The largest N for which n * 10000 fits in 32 bits: 4294967295 / 10000. */
#define EXACT_PROFILER_MOST 429496

#if EXACT_PROFILER_ENABLE

#include <stdint.h>

#ifndef EXACT_PROFILER_THREADS
#error "EXACT_PROFILER_THREADS: how many threads are there?"
#endif
#ifndef EXACT_PROFILER_UPDATE_PERIOD
#error "EXACT_PROFILER_UPDATE_PERIOD: how many ticks is a period?"
#endif
#ifndef EXACT_PROFILER_HOOK
#define EXACT_PROFILER_HOOK(p) ((void)(p))
#endif

/* C99 has no static assertions, but an array of negative size is an error. */
#define EXACT_PROFILER_ASSERT(name, what) typedef char exact_profiler_assert_##name[(what) ? 1 : -1]

EXACT_PROFILER_ASSERT(period_is_1_to_429496,
		      (EXACT_PROFILER_UPDATE_PERIOD) >= 1 && (EXACT_PROFILER_UPDATE_PERIOD) <= EXACT_PROFILER_MOST);
EXACT_PROFILER_ASSERT(there_are_threads, (EXACT_PROFILER_THREADS) >= 1);

struct exact_profiler {
	uint32_t count[EXACT_PROFILER_THREADS];		/* ticks in this period */
	uint32_t sum;					/* of all counts */
	uint16_t result[EXACT_PROFILER_THREADS];	/* of the last period */
};

#ifdef __cplusplus
extern "C" {
#endif
uint32_t time_interval(void);
#ifdef __cplusplus
}
#endif

static inline void exact_profiler_start(struct exact_profiler *p)
{
	unsigned i;

	for (i = 0; i < (EXACT_PROFILER_THREADS); i++) {
		p->count[i] = 0;
		p->result[i] = 0;
	}
	p->sum = 0;
	(void)time_interval();
}

/* `leaving` had the processor since the last switch. If it is not a thread's number, the time is not counted. */
static inline void exact_profiler_switch(struct exact_profiler *p, unsigned leaving)
{
	uint32_t ticks = time_interval();

	if (leaving >= (EXACT_PROFILER_THREADS))
		return;
	/* no count exceeds the sum: if the sum fits, they fit too */
	if (ticks > UINT32_MAX - p->sum)
		ticks = UINT32_MAX - p->sum;
	p->count[leaving] += ticks;
	p->sum += ticks;
}

static inline int exact_profiler_update(struct exact_profiler *p, unsigned running)
{
	unsigned i, less = 0;
	uint32_t all;

	exact_profiler_switch(p, running);
	if (p->sum < (EXACT_PROFILER_UPDATE_PERIOD))
		return 0;
	while ((p->sum >> less) > EXACT_PROFILER_MOST)
		less++;
	all = p->sum >> less;
	for (i = 0; i < (EXACT_PROFILER_THREADS); i++) {
		p->result[i] = (uint16_t)((p->count[i] >> less) * 10000u / all);
		p->count[i] = 0;
	}
	p->sum = 0;
	EXACT_PROFILER_HOOK(p);
	return 1;
}

static inline uint32_t exact_profiler_result(const struct exact_profiler *p, unsigned thread)
{
	return thread < (EXACT_PROFILER_THREADS) ? p->result[thread] : 0;
}

#else

struct exact_profiler {
	char nothing;
};

#define exact_profiler_start(p) ((void)(p))
#define exact_profiler_switch(p, leaving) ((void)(p), (void)(leaving))
#define exact_profiler_update(p, running) ((void)(p), (void)(running), 0)
#define exact_profiler_result(p, thread) ((void)(p), (void)(thread), 0u)

#endif
#endif
