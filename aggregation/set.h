/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations without the session that made them: what a program's aggregations held at its end, to be written into a
 * file, read from it, added to those of other runs. Symbols and frames are texts here, and the rows of a set look
 * different from each other when they are printed: where a key is an address, its text is the key, and no process ID
 * belongs to it.
 *
 * A symbolic key field lies in memory as everywhere (ir/value.h), with the number of a text, from 1, in the place of
 * each address, and 0 in that of the process ID. `names` shows them.
 *
 * Ownership: the tables own their rows until agg_set_close, the caller's arena all else.
 * Errors: making rows (-ENOMEM); agg_load, with a sentence and the place in the file.
 */
#ifndef AGGREGATION_SET_H
#define AGGREGATION_SET_H

#include "aggregation/agg.h"
#include "base/arena.h"
#include "base/map.h"

struct agg_set {
	struct arena *arena;
	const char *name;		/* of its file, for messages */
	const char *program;		/* the text of the script */
	size_t program_len;
	unsigned n;
	struct agg_desc *descs;
	struct agg_table *tables;	/* n of each */
	VEC(const char *) texts;	/* number i is texts.v[i - 1] */
	struct map numbers;		/* text -> its number */
	struct val_names names;
	unsigned indent;		/* before each frame of a stack */
};

/* An empty set of n aggregations; descs[] are to be filled in, then agg_set_tables. */
void agg_set_open(struct agg_set *s, struct arena *a, unsigned n);
/* Lays the keys of descs[] out (offsets, sizes) and makes empty tables. */
void agg_set_tables(struct agg_set *s);
/* Frees the rows. Idempotent. */
void agg_set_close(struct agg_set *s);
/* The number of a text. */
uint64_t agg_set_text(struct agg_set *s, const char *text, size_t n);

/* Takes over the rows of a session's tables; addresses are named by the tables' names. 0 or -ENOMEM. */
int agg_set_take(struct agg_set *s, struct arena *a, const struct agg_table *tables, unsigned n);

/* Can they be added up? False: they come from different programs, or from one with other parameters; `why` says
 * what differs. */
bool agg_set_match(const struct agg_set *a, const struct agg_set *b, struct buf *why);
/* The sum of sets that match, n > 0. The same whatever their order. 0 or -ENOMEM. */
int agg_set_unite(struct agg_set *sum, struct arena *a, struct agg_set *const *sets, unsigned n);
/* Set i alone, its texts numbered as in the sum of all: so several can be compared. */
int agg_set_number(struct agg_set *one, struct arena *a, struct agg_set *const *sets, unsigned n, unsigned i);

/* A set as the bytes of a file (docs/aggregations.md), the same bytes for equal sets that were united. 0 or
 * -ENOMEM, -EFBIG. */
int agg_save(struct buf *out, const struct agg_set *s);
/* How long the file is, as far as its first `have` bytes tell. Less than that: it ends there (0: it is no such file).
 * *at is 0 at first, and remembers how far this has looked. */
size_t agg_load_wants(size_t *at, const void *file, size_t have);
/* And back. -1: what is wrong is in `why`, with its place ("byte 17: ..."). */
int agg_load(struct agg_set *s, struct arena *a, const void *file, size_t size, struct buf *why);

/* What changed from one set to another that matches it and has the same numbers of texts, the largest change
 * first. 0 or -ENOMEM. */
int agg_diff(struct buf *out, const struct agg_set *from, const struct agg_set *to);

#endif
