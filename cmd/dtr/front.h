/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What works on a session while it runs, in these steps. `dtr top`, `dtr serve` and `dtr trace` have one; a step that
 * is NULL does what dtr does without them.
 *
 * Errors: -1 and DTR_ERROR after a message.
 */
#ifndef CMD_DTR_FRONT_H
#define CMD_DTR_FRONT_H

#include "cmd/dtr/watch.h"
#include "engine/dtr.h"

struct front_ops {
	bool screen;						/* it shows the session on the terminal */
	void (*config)(void *arg, struct dtr_config *config, struct watch *w);	/* before dtr_open */
	int (*check)(void *arg);				/* before the texts; 0 or -1 */
	int (*aside_begin)(void *arg);				/* around the start of the command; 0 or -1 */
	void (*aside_end)(void *arg);
	void (*executed)(void *arg, int pid, const char *path, char **words);	/* the command: a traced child */
	int (*block)(void *arg);				/* before the first thread; 0 or -1 */
	int (*open)(void *arg, struct dtr *t);			/* before dtr_go; 0 or -1 */
	int (*begin)(void *arg, struct dtr *t);			/* when probes and command run; 0 or -1 */
	enum dtr_work (*work)(void *arg, struct dtr *t);	/* a pass; called until it is not DTR_MORE */
	void (*end)(void *arg, struct dtr *t);			/* before dtr_finish */
	int (*finish)(void *arg, struct dtr *t);		/* after it; 0 or -1 */
	bool (*message)(void *arg, const char *text);		/* keeps a message; false: it must be printed */
	void (*abandon)(void *arg);				/* out of memory: must not allocate */
	void (*stop)(void *arg);				/* before dtr_close */
	void (*close)(void *arg);				/* after it */
};

struct front {
	const struct front_ops *ops;	/* NULL: none */
	void *arg;
};

#endif
