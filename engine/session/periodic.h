/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -x aggsaverate: saves the aggregations while tracing. What the script prints and clears does not change.
 * Ownership: the session owns the tables until periodic_close. Errors: the first of several in a row is reported;
 * tracing goes on.
 */
#ifndef ENGINE_SESSION_PERIODIC_H
#define ENGINE_SESSION_PERIODIC_H

#include "engine/session/session.h"

/* Saves the aggregations if it is time. Call it after start. */
void periodic_pass(struct dtr *t);
/* The longest time, ns, until the next pass; at most `timeout`. */
uint64_t periodic_patience(const struct dtr *t, uint64_t timeout);
void periodic_close(struct dtr *t);

#endif
