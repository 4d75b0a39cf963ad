/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What works on a session while it runs, in these steps. `dtr top`, `dtr serve` and `dtr trace` have one; a step that
 * is NULL does what dtr does without them.
 *
 * Errors: -1 and DTR_ERROR after a message.
 */
#ifndef CMD_DTR_FRONT_H
#define CMD_DTR_FRONT_H

#include "engine/dtr.h"

struct front_ops {
	int (*open)(void *arg, struct dtr *t);			/* before dtr_go; 0 or -1 */
	int (*begin)(void *arg, struct dtr *t);			/* when probes and command run; 0 or -1 */
	enum dtr_work (*work)(void *arg, struct dtr *t);	/* a pass; called until it is not DTR_MORE */
	void (*end)(void *arg, struct dtr *t);			/* before dtr_finish */
	int (*finish)(void *arg, struct dtr *t);		/* after it; 0 or -1 */
};

struct front {
	const struct front_ops *ops;	/* NULL: none */
	void *arg;
};

#endif
