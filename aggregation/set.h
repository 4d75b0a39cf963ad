/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sets of aggregations without a session: the final aggregations of a program, to be saved to a file, loaded, and added
 * to those of other runs. Symbols and frames are texts: the text of an address is the key, without a process ID. So no
 * two rows of a set print the same key.
 *
 * A symbolic key field has the usual layout (ir/value.h), with the number of a text (from 1) in place of each address,
 * and 0 in place of the process ID. `names` shows them.
 *
 * Ownership: the tables own their rows until agg_set_close; the caller's arena owns everything else.
 * Errors: -ENOMEM; agg_load fails with a sentence and the offset in the file.
 */
#ifndef AGGREGATION_SET_H
#define AGGREGATION_SET_H

#include "aggregation/agg.h"
#include "base/arena.h"
#include "base/map.h"

enum { AGG_HOST = 72 };			/* bytes of a machine's name, with its NUL; a multiple of 8 */

struct agg_set {
	struct arena *arena;
	const char *name;		/* name of its file, for messages */
	const char *program;		/* the text of the script */
	size_t program_len;
	const char *host;		/* name of the machine, shorter than AGG_HOST; NULL: unknown, or several */
	unsigned n;
	struct agg_desc *descs;
	struct agg_table *tables;	/* n descs and n tables */
	VEC(const char *) texts;	/* number i is texts.v[i - 1] */
	struct map numbers;		/* text -> its number */
	struct val_names names;
	unsigned indent;		/* before each frame of a stack */
};

/* Initialises a set of n aggregations. Then fill in descs[] and call agg_set_tables. */
void agg_set_open(struct agg_set *s, struct arena *a, unsigned n);
/* Computes the key layouts of descs[] (offsets, sizes) and makes empty tables. */
void agg_set_tables(struct agg_set *s);
/* Frees the rows. Idempotent. */
void agg_set_close(struct agg_set *s);
/* Returns the number of a text; adds it if new. */
uint64_t agg_set_text(struct agg_set *s, const char *text, size_t n);

/* Copies the rows of a session's tables; addresses are resolved by the tables' names. Returns 0 or -ENOMEM. */
int agg_set_take(struct agg_set *s, struct arena *a, const struct agg_table *tables, unsigned n);

/* Makes s->host, which is not NULL, the first key of each aggregation; then s->host is NULL.
 * Returns 0, -ENOMEM, or -E2BIG if one has AGG_MAXKEYS keys already; then the set is unchanged. */
int agg_set_by_host(struct agg_set *s);

/* True if two sets can be added. False if their programs or the parameters of their aggregations differ; `reason` says
 * how. */
bool agg_set_match(const struct agg_set *a, const struct agg_set *b, struct buf *reason);
/* Stores the sum of n > 0 matching sets, which does not depend on their order; its host is that of all, if they have
 * the same. Returns 0 or -ENOMEM. */
int agg_set_unite(struct agg_set *sum, struct arena *a, struct agg_set *const *sets, unsigned n);
/* Stores set i with its texts numbered as in the sum of all, so that sets can be compared. Returns 0 or -ENOMEM. */
int agg_set_number(struct agg_set *one, struct arena *a, struct agg_set *const *sets, unsigned n, unsigned i);

/* Appends a set in the file format (docs/aggregations.md). Equal sets from agg_set_unite give equal bytes. Returns 0,
 * -ENOMEM or -EFBIG. */
int agg_save(struct buf *out, const struct agg_set *s);
/* Returns the length of the file as far as its first `have` bytes show. Less than `have`: it ends there (0: not such a
 * file). *at, initially 0, stores the progress. */
size_t agg_load_wants(size_t *at, const void *file, size_t have);
/* Loads a set. Returns 0, or -1 with the error and its place in `reason` ("byte 17: ..."). */
int agg_load(struct agg_set *s, struct arena *a, const void *file, size_t size, struct buf *reason);

/* Appends the differences between two matching sets with the same text numbers (agg_set_number), the largest first.
 * Returns 0 or -ENOMEM. */
int agg_diff(struct buf *out, const struct agg_set *from, const struct agg_set *to);

#endif
