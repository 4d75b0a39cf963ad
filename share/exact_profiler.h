/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exact profiler for microcontrollers: which share of the processor each thread of a small real-time system had, from switch
 * to switch, in hundredths of a percent. `dtr exact` is the same for Linux.
 *
 * The arithmetic is 32 bits wide, without a division of 64 bits; nothing is allocated, no library is needed. C99 or C++.
 *
 * Set these before including it:
 *
 *	EXACT_PROFILER_ENABLE		1; with 0 all calls are nothing and cost nothing
 *	EXACT_PROFILER_THREADS		how many threads there are, the idle one among them; they are numbered from 0
 *	EXACT_PROFILER_UPDATE_PERIOD	N: results are computed when so many ticks of the timer have passed; 1 to 429496.
 *					With ticks of t seconds that is every T = N * t seconds: 300000 ticks of 6.4 us are 1.92 s
 *	EXACT_PROFILER_HOOK(p)		optional: what is done after each update, with the struct exact_profiler *
 *
 * and supply the timer: how many ticks have passed since the last call, by whatever the hardware has to count them.
 *
 *	uint32_t time_interval(void);
 *
 * Then call, with interrupts off or from the scheduler only,
 *
 *	exact_profiler_start(p)		once, before the first thread runs
 *	exact_profiler_switch(p, leaving)	at each switch of threads
 *	exact_profiler_update(p, running)	now and then, e.g. from the timer's interrupt or the idle thread, several times a
 *					period: the running thread gets its time up to now; 1 if the period was over, and there are
 *					new results
 *	exact_profiler_result(p, thread)	R = n * 10000 / N of the last period, 0 to 10000
 *
 * What can fail: nothing. A period that the updates let grow beyond 429496 ticks is computed with as many bits less as it
 * takes for n * 10000 to fit; counts stay at their largest value where 32 bits end.
 */
#ifndef EXACT_PROFILER_H
#define EXACT_PROFILER_H

#ifndef EXACT_PROFILER_ENABLE
#define EXACT_PROFILER_ENABLE 1
#endif

/* The largest N of which n * 10000 fits into 32 bits: 4294967295 / 10000. */
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

/* C99 has no static assertions; an array cannot be smaller than nothing. */
#define EXACT_PROFILER_ASSERT(name, what) typedef char exact_profiler_assert_##name[(what) ? 1 : -1]

EXACT_PROFILER_ASSERT(period_is_1_to_429496,
		      (EXACT_PROFILER_UPDATE_PERIOD) >= 1 && (EXACT_PROFILER_UPDATE_PERIOD) <= EXACT_PROFILER_MOST);
EXACT_PROFILER_ASSERT(there_are_threads, (EXACT_PROFILER_THREADS) >= 1);

struct exact_profiler {
	uint32_t count[EXACT_PROFILER_THREADS];		/* ticks of this period */
	uint32_t sum;					/* of all of them */
	uint16_t result[EXACT_PROFILER_THREADS];	/* of the last one */
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

/* At a switch. `leaving` had the processor since the last one; what is no thread's number is nobody's time. */
static inline void exact_profiler_switch(struct exact_profiler *p, unsigned leaving)
{
	uint32_t ticks = time_interval();

	if (leaving >= (EXACT_PROFILER_THREADS))
		return;
	/* the sum is never smaller than a count: where it fits, so do they */
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
