/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The replay engine, for tests only: the interpreter runs the compiled program in this process on events from a text.
 * The consumer, the printer and the aggregations are those of the other engines.
 *
 * Ownership: see engine/run/backend.h. backend_args.input points to a struct replay of the caller (session_use).
 * Errors: open refuses events that are malformed or name no enabled probe.
 */
#ifndef TESTS_LIB_REPLAY_H
#define TESTS_LIB_REPLAY_H

#include "engine/run/backend.h"
#include "engine/session/session.h"	/* session_use */

struct replay {
	struct source src;	/* the events: tests/lib/events.h */
	bool done;		/* set after the last event has run */
};

extern const struct backend_ops backend_replay;

#endif
