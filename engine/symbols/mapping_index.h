/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds mappings in a list by address and time, without looking at each of them: a binary tree over blocks of the list
 * holds the ranges of addresses and times in which there are any. Mappings that follow each other are mostly near each
 * other, so nearly all of the list is skipped.
 *
 * Ownership: mapping_index_free frees the tree; the caller owns the list. Errors: see mapping_index_room.
 */
#ifndef ENGINE_SYMBOLS_MAPPING_INDEX_H
#define ENGINE_SYMBOLS_MAPPING_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end, off;
	uint64_t since;			/* 0 = since the image began */
	void *file;			/* NULL: anonymous memory */
	bool data;			/* not executable */
	bool over;			/* it covers an earlier mapping of the same image */
};

struct mapping_index {
	struct mapping_hull *v;		/* node 1 is the root, those below node i are 2 i and 2 i + 1 */
	uint32_t leaves;		/* a power of two */
	uint32_t n;			/* mappings that it has */
};

/* Mappings at position `first` or later that overlap a range, with a time from `from` to `to`; over: only those that
 * cover earlier ones. */
struct mapping_query {
	uint64_t start, end, from, to;
	bool over;
	uint32_t first;
};

enum { NO_MAPPING = UINT32_MAX };

/* Makes room for `cap` mappings, and forgets those it has. Returns false if memory runs out; then nothing changes. */
bool mapping_index_room(struct mapping_index *x, uint32_t cap);
void mapping_index_free(struct mapping_index *x);
/* Call it after v[first] and later ones were set or removed. n: number of mappings, for which there must be room. */
void mapping_index_renew(struct mapping_index *x, const struct mapping *v, uint32_t n, uint32_t first);
/* The highest and the lowest position in v of a mapping that the query finds, or NO_MAPPING. */
uint32_t mapping_index_last(const struct mapping_index *x, const struct mapping *v, const struct mapping_query *q);
uint32_t mapping_index_first(const struct mapping_index *x, const struct mapping *v, const struct mapping_query *q);

#endif
