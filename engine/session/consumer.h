/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Takes records from the buffers of all CPUs and prints them in order of time.
 * Ownership: the session owns the queue. Errors: messages.
 */
#ifndef ENGINE_SESSION_CONSUMER_H
#define ENGINE_SESSION_CONSUMER_H

#include "engine/session/session.h"

/* CONSUME_ALL: tracing has ended: also records so recent that an older one could still arrive. */
enum consumer_extent { CONSUME_SETTLED, CONSUME_ALL };

/* One pass: takes the available records, waiting up to `timeout` ns, and prints them. Returns 0, or -1 after a
 * message. */
int consumer_pass(struct dtr *t, uint64_t timeout, enum consumer_extent extent);

#endif
