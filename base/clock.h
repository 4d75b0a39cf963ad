/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The system's clocks in nanoseconds. In a time name space (time_namespaces(7)), CLOCK_MONOTONIC and CLOCK_BOOTTIME of
 * this process are ahead of the kernel's, which programs in the kernel read. dtr has one base, the kernel's.
 *
 * Ownership: nothing is owned. Errors: none; without /proc, the kernel's clocks are assumed to be those of the process.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The kernel's time of a clock, ns. */
uint64_t clock_read(clockid_t clock);

/* The kernel's CLOCK_MONOTONIC, ns. */
static inline uint64_t clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

/* How far the clock of this process is ahead of the kernel's, ns (may be negative): for what the kernel converts,
 * such as times in /proc. */
int64_t clock_ahead(clockid_t clock);

/* The time of this process's CLOCK_MONOTONIC, for calls that wait until then, at a time of the kernel's (ns). */
struct timespec clock_until(uint64_t time);

#endif
