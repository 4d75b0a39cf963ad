/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A backend that runs the compiled program in this process, by the interpreter, on events from a text. Everything
 * behind it (the consumer, the printer, the aggregations) is the real thing.
 *
 * Who owns what: see engine/run/backend.h. dtr_config.backend_arg points to a struct replay of the caller.
 * What can fail: feed: events that are malformed or name no enabled probe.
 */
#ifndef ENGINE_INTERP_REPLAY_H
#define ENGINE_INTERP_REPLAY_H

#include "engine/run/backend.h"

struct replay {
	struct source src;	/* the events */
	bool done;		/* set once the last event was run */
};

extern const struct backend_ops backend_replay;

#endif
