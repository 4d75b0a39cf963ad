/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sentences about -x maxcost that the engines share.
 * Ownership: the caller owns the buffer. Errors: those of the buffer.
 */
#ifndef ENGINE_RUN_LIMITED_H
#define ENGINE_RUN_LIMITED_H

#include "base/buf.h"

struct thin_obstacle;

/* Appends "SHARE % of the time of N CPUs; maxcost is LIMIT %". spent, allowed: ns; limit: 0 to 1. */
void limited_share(struct buf *out, double spent, double allowed, double limit, unsigned ncpus);
/* Appends "; firings of PROBE cannot be left out", with the reason if it is one of the script. */
void limited_obstacle(struct buf *out, const char *probe, const struct thin_obstacle *o);
/* Appends what thin_obstacle says, in parentheses; nothing if it says nothing. */
void limited_reason(struct buf *out, const struct thin_obstacle *o);

#endif
