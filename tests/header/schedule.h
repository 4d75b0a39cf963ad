/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random schedules for exact_profiler.h, the same on every machine, with only 32-bit arithmetic. Includers define
 * SCHEDULE_UPDATE(), which is called at the end of a period; schedule_period[] is the time of each thread in it.
 */
#ifndef TESTS_HEADER_SCHEDULE_H
#define TESTS_HEADER_SCHEDULE_H

#include <stdint.h>

#define EXACT_PROFILER_THREADS 7
#define EXACT_PROFILER_UPDATE_PERIOD 300000

static unsigned schedule_hooks;

#define EXACT_PROFILER_HOOK(p) ((void)(p), (void)schedule_hooks++)
#include "share/exact_profiler.h"

static uint32_t schedule_state, schedule_ticks;
static uint32_t schedule_period[EXACT_PROFILER_THREADS];

static uint32_t schedule_random(void)
{
	schedule_state ^= schedule_state << 13;
	schedule_state ^= schedule_state >> 17;
	schedule_state ^= schedule_state << 5;
	return schedule_state;
}

#ifdef __cplusplus
extern "C"
#endif
uint32_t time_interval(void)
{
	return schedule_ticks;
}

static void schedule_add(unsigned thread, uint32_t ticks)
{
	uint32_t all = 0;
	unsigned i;

	for (i = 0; i < EXACT_PROFILER_THREADS; i++)
		all += schedule_period[i];
	schedule_ticks = ticks;
	schedule_period[thread] += ticks > UINT32_MAX - all ? UINT32_MAX - all : ticks;
}

static void SCHEDULE_UPDATE(const struct exact_profiler *p);

/* One schedule: threads and their times; updates at most switches, or at few, so that periods become far too long. */
static void schedule_run(uint32_t seed)
{
	unsigned switches = 4000, i, running = 0, seldom;
	struct exact_profiler p;
	uint32_t longest;

	schedule_state = seed * 2654435761u + 1u;
	longest = 1u << (4u + schedule_random() % 28u);
	seldom = 1u + schedule_random() % 40u;
	schedule_ticks = 99;
	exact_profiler_start(&p);
	for (i = 0; i < EXACT_PROFILER_THREADS; i++)
		schedule_period[i] = 0;
	while (switches--) {
		schedule_add(running, schedule_random() % longest);
		if (schedule_random() % seldom) {
			exact_profiler_switch(&p, running);
			running = schedule_random() % EXACT_PROFILER_THREADS;
		} else if (exact_profiler_update(&p, running)) {
			SCHEDULE_UPDATE(&p);
			for (i = 0; i < EXACT_PROFILER_THREADS; i++)
				schedule_period[i] = 0;
		}
	}
}

#endif
