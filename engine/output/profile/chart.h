/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bars of charts: `#` for each full unit of the scale; then `|` if the rest is at least half a unit. `!`: the value is
 * less than half a unit, but not 0.
 *
 * Ownership: the caller's buffer. Errors: no memory (buf->failed).
 */
#ifndef ENGINE_OUTPUT_PROFILE_CHART_H
#define ENGINE_OUTPUT_PROFILE_CHART_H

#include <stdint.h>

#include "base/buf.h"

enum { CHART_WIDTH = 56 };		/* of the longest bar */

/* Returns the scale with which the largest value has a bar of CHART_WIDTH. Not 0. */
int64_t chart_scale(int64_t largest);
void chart_bar(struct buf *out, int64_t value, int64_t scale);
/* A bar of one `#` for each percent of the whole, rounded; `!`: less than one percent. */
void chart_percent(struct buf *out, int64_t value, int64_t whole);

#endif
