/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rootless engine: the interpreter runs the compiled program in this process on the items of a source of samples
 * (engine/sample/source.h). The consumer, the printer and the aggregations are those of the kernel engine.
 *
 * profile-N fires once per sample of its rate, tick-N by the source's clock, both in order of time.
 *
 * Ownership: see engine/run/backend.h. dtr_config.backend_arg, if there is one, points to a struct user_feed of the
 * caller.
 * Errors: open fails for a probe that this engine does not have, or if no source is available.
 */
#ifndef ENGINE_INTERP_USER_H
#define ENGINE_INTERP_USER_H

#include "engine/run/backend.h"
#include "engine/sample/source.h"

/* A source to use instead of the best one of this machine. */
struct user_feed {
	const struct source_ops *ops;
	void *arg;			/* source_want.arg */
};

extern const struct backend_ops backend_user;

#endif
