/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the two ways to merge saved aggregations share: all files in memory (merge.c), or, by host, one host after the
 * other (merge_hosts.c). Private to engine/session/.
 * Ownership: names belong to the sets. Errors: messages.
 */
#ifndef ENGINE_SESSION_MERGE_H
#define ENGINE_SESSION_MERGE_H

#include "aggregation/set.h"
#include "engine/session/session.h"

/* The divisors of normalize() in the first file, which others may not have. */
struct merge_divisors {
	struct output *o;
	struct agg_set shape;		/* the set of the first file; its rows may have been freed */
	__int128 *normal;
	bool *reported;			/* another one was found */
};

/* True if two sets can be added; else a message says why. */
bool merge_match(struct output *o, const struct agg_set *a, const struct agg_set *b);
/* Makes the host the first key. Returns 0, -ENOMEM, or 1 after a message. */
int merge_host(struct output *o, struct agg_set *s);
void merge_shape(struct merge_divisors *d, struct output *o, const struct agg_set *first);
/* Reports other divisors in another set. */
void merge_divisors(struct merge_divisors *d, const struct agg_set *s);

/* True if dtr merge --by-host of these files needs only one host at a time: they can be read twice, and the format
 * (print: there is one) does not need all rows together. */
bool merge_streams(const struct output *o, const char *const *files, unsigned n, bool print);
/* Implements dtr_merge_hosts. */
int merge_stream(struct dtr *t, const char *const *files, unsigned n, const char *save, bool print);

#endif
