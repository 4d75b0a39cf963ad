/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Closes uprobes of files that no process has mapped, in threads: the kernel needs some 20 to 60 ms for each, most of
 * which it waits. (Those of other files: links_close, which survives the end of this process.)
 *
 * Ownership: closer_wait releases everything (idempotent; a zeroed struct is done).
 * Errors: without threads, closer_start closes by itself.
 */
#ifndef PROVIDERS_CLOSER_H
#define PROVIDERS_CLOSER_H

#include <pthread.h>
#include <stdatomic.h>

#include "providers/uprobe.h"

enum { CLOSER_THREADS = 32 };

struct closer {
	pthread_t thread[CLOSER_THREADS];
	unsigned n;
	struct links uprobes;
	atomic_size_t next;		/* the next descriptor to close */
	atomic_size_t closed;
};

/* Takes the descriptors of *u and begins to close them. To be called after closer_wait. */
void closer_start(struct closer *c, struct links *u);
/* True if not all of them are closed yet. */
bool closer_busy(const struct closer *c);
/* Returns when they are. */
void closer_wait(struct closer *c);

#endif
