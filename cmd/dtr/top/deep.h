/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stacks of `dtr top` without a script. Walking stacks, reading and naming them costs many times what the table of
 * processes does, so it is a session of its own, which begins when a row is first expanded. It has a thread of its own:
 * keys do not wait while it is compiled or read.
 *
 * Ownership: the struct owns session and thread until top_deep_close (idempotent). The table belongs to the thread
 * except between top_deep_lock and top_deep_unlock.
 * Errors: messages, which top_deep_news delivers. Without memory arena->oom is called, which does not return.
 */
#ifndef CMD_DTR_TOP_DEEP_H
#define CMD_DTR_TOP_DEEP_H

#include <pthread.h>

#include "base/buf.h"
#include "cmd/dtr/top/table.h"

/* What the session needs. */
struct top_deep_config {
	struct dtr_config session;
	int (*prepare)(void *arg, struct dtr *t);	/* options, target and script; in the thread; 0 or -1 */
	void *arg;
	uint64_t period;				/* ns between two readings, at least */
};

struct top_deep {
	struct top_deep_config config;
	pthread_t thread;
	bool started;
	pthread_mutex_t lock;		/* of what follows */
	struct top_table table;
	struct buf messages;
	struct dtr *session;		/* NULL: not yet, or ended */
	bool wanted;			/* a row shows its stacks */
	bool ending;
	unsigned readings;
	unsigned reported;		/* readings that top_deep_news has reported */
};

/* n_keys: of the aggregation of the script. */
void top_deep_init(struct top_deep *d, struct arena *a, unsigned n_keys);
/* wanted: rows show their stacks. The first time, the session begins. */
void top_deep_want(struct top_deep *d, bool wanted);
/* Returns true if the table has changed since the last call; appends new messages to *out. */
bool top_deep_news(struct top_deep *d, struct buf *out);
void top_deep_lock(struct top_deep *d);
void top_deep_unlock(struct top_deep *d);
void top_deep_close(struct top_deep *d);

#endif
