/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A queue of requests that have not been sent yet: in a folder, where they survive a restart, or in memory. It is
 * bounded; the oldest ones are dropped and counted.
 *
 * A file's name has the times of its profile, in ns since 1970, and the format: FROM-UNTIL.FORMAT. Files of other names
 * are left alone. A file is complete: it is written under another name and renamed.
 *
 * Ownership: spool_close frees the queue; files stay. Errors: -errno.
 */
#ifndef CMD_DTR_SERVE_SPOOL_H
#define CMD_DTR_SERVE_SPOOL_H

#include <stdint.h>

#include "base/buf.h"

struct spool_entry {
	uint64_t from, until;		/* ns since 1970 */
	uint64_t size;
	char *data;			/* in memory; NULL: in the folder */
};

struct spool {
	const char *dir;		/* NULL: in memory */
	const char *ending;		/* of file names: the format */
	uint64_t most, size;		/* bytes */
	struct spool_entry *v;		/* the oldest first */
	size_t n, cap;
	uint64_t dropped;		/* entries */
	int lock;			/* the folder, open and locked; -1: in memory */
};

/* Opens a queue of at most `most` bytes, with the entries that the folder has. The folder is created unless it exists,
 * for its owner only. It is locked (flock) until spool_close: two queues in one folder would send entries twice. The
 * strings must live as long as the queue. Returns 0 or -errno; -EWOULDBLOCK: another process uses the folder. */
int spool_open(struct spool *s, const char *dir, const char *ending, uint64_t most);
/* Adds a copy of an entry. Returns 0, or -errno if it could not be stored, which counts as dropped. */
int spool_add(struct spool *s, uint64_t from, uint64_t until, const char *data, size_t size);
/* Appends the oldest entry to *out and stores its times. Returns 1, 0 if there is none, or -errno if it cannot be read:
 * then it is dropped. */
int spool_first(struct spool *s, struct buf *out, uint64_t *from, uint64_t *until);
/* Removes the entry with these times, if it is still there. */
void spool_remove(struct spool *s, uint64_t from, uint64_t until);
void spool_close(struct spool *s);

#endif
