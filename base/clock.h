/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The system's clocks in nanoseconds.
 *
 * Ownership: nothing is owned. Errors: none.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The time of a clock (clock_gettime(2)), ns. */
static inline uint64_t clock_read(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* CLOCK_MONOTONIC, ns. */
static inline uint64_t clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

#endif
