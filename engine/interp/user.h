/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rootless engine: the compiled program is run in this process, by the interpreter, on what a source of samples gives
 * (engine/sample/source.h). Everything behind it (the consumer, the printer, the aggregations) is that of the kernel's engine.
 *
 * profile-N fires once for each sample of its rate, tick-N by the source's clock, both in order of time.
 *
 * Who owns what: see engine/run/backend.h. dtr_config.backend_arg, if there is one, points to a struct user_feed of the caller.
 * What can fail: open: a probe that this engine has not, a source that cannot be had.
 */
#ifndef ENGINE_INTERP_USER_H
#define ENGINE_INTERP_USER_H

#include "engine/run/backend.h"
#include "engine/sample/source.h"

/* Samples from elsewhere than the best source of this machine. */
struct user_feed {
	const struct source_ops *ops;
	void *arg;			/* source_want.arg */
};

extern const struct backend_ops backend_user;

#endif
