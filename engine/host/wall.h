/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The wall clock beside the monotonic one. All that waits, measures or is ordered by time uses CLOCK_MONOTONIC, which nobody
 * can set; only what shows the time of day needs the difference, and has to look at it again whenever the clock was set.
 *
 * Who owns what: the caller closes the descriptor of wall_steps. What can fail: wall_steps, -errno.
 */
#ifndef ENGINE_HOST_WALL_H
#define ENGINE_HOST_WALL_H

#include <stdint.h>

/* ns since 1970 less CLOCK_MONOTONIC in ns, now. */
int64_t wall_offset(void);
/* A descriptor that becomes readable when the wall clock is set (settimeofday, adjtimex, resume). */
int wall_steps(void);
/* It is not readable any more, until the next time. */
void wall_step_seen(int fd);

#endif
