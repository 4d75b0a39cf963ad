/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The offset of the wall clock from the monotonic clock. All waiting, measuring and sorting by time uses
 * CLOCK_MONOTONIC, which cannot be set. Only the time of day needs the offset, which must be read again whenever the
 * wall clock is set.
 *
 * Ownership: the caller closes the descriptor of wall_steps. Errors: wall_steps returns -errno.
 */
#ifndef ENGINE_HOST_WALL_H
#define ENGINE_HOST_WALL_H

#include <stdint.h>

/* CLOCK_REALTIME - CLOCK_MONOTONIC now, in ns. */
int64_t wall_offset(void);
/* Returns a descriptor that becomes readable when the wall clock is set (settimeofday, adjtimex, resume). */
int wall_steps(void);
/* Clears the descriptor; it becomes readable when the clock is set again. */
void wall_step_seen(int fd);

#endif
