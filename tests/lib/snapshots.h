/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sessions whose aggregations a test reads while they run: dtr_snapshot and what follows it, as text.
 *
 * Ownership: snapshots_close frees everything; returned texts are valid until the next call.
 * Errors: snapshots_open returns false after printing the messages as TAP comments.
 */
#ifndef TESTS_LIB_SNAPSHOTS_H
#define TESTS_LIB_SNAPSHOTS_H

#include "base/buf.h"
#include "engine/dtr.h"

struct snapshots {
	struct dtr *t;
	FILE *file;
	char *out;		/* the session's output */
	size_t out_len, seen;	/* seen: as far as snapshots_printed has returned it */
	struct buf messages, text;
};

/* Starts a script on an engine ("bpf", "user"). options: pairs of names and values, then NULL. */
bool snapshots_open(struct snapshots *s, const char *script, const char *engine, const char *const *options);
void snapshots_close(struct snapshots *s);
/* Takes a snapshot. */
void snapshots_take(struct snapshots *s);
/* The rows of an aggregation in the last snapshot: "key,key=value n=count s=sum [from,to]:count\n". */
const char *snapshots_rows(struct snapshots *s, const char *name);
/* Works until the session has printed n lines more. Returns them. */
const char *snapshots_printed(struct snapshots *s, unsigned n);

#endif
