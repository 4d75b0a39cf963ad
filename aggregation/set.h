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

/*
 * Sets that are read one after the other, because no two have a row in common (dtr merge --by-host): `all` has their
 * program, descriptions and texts, but no rows. First call agg_set_gather for each set, then agg_set_gathered.
 */
/* Initialises `all` with the descriptions of the first set. */
void agg_set_shape(struct agg_set *all, struct arena *a, const struct agg_set *first);
/* Adds what the set has besides rows. */
void agg_set_gather(struct agg_set *all, const struct agg_set *from);
void agg_set_gathered(struct agg_set *all);
/* Initialises a set for rows whose texts are numbered as in `all`, which must outlive it. */
void agg_set_part(struct agg_set *part, struct arena *a, const struct agg_set *all);
/* Adds the rows of a set that was gathered. Returns 0, -ENOMEM, or -ESTALE: it has a text that `all` lacks. */
int agg_set_put(struct agg_set *part, const struct agg_set *all, const struct agg_set *from);

/* Appends a set in the file format (docs/aggregations.md). Equal sets from agg_set_unite give equal bytes. Returns 0,
 * -ENOMEM or -EFBIG. */
int agg_save(struct buf *out, const struct agg_set *s);
/*
 * Writes the file of such sets, the same bytes as agg_save writes for their sum, if parts come in the order of their
 * rows. First call agg_writer_stacks for each part, if keys have stacks, and agg_writer_stacked; then agg_writer_rows
 * for each part, which appends the rows of one aggregation. The file is what agg_writer_begin appends; for each
 * aggregation agg_writer_agg, its rows, agg_writer_end; and agg_writer_done. Each returns 0, -ENOMEM or -EFBIG. The
 * arena of `all` owns the memory.
 */
struct agg_writer {
	const struct agg_set *all;
	struct agg_writer_part {
		struct map stacks;	/* frames -> number */
		uint64_t rows, bytes;	/* what agg_writer_rows has appended */
		uint32_t crc;		/* of these bytes */
	} *part;			/* by aggregation */
	struct map stacks;
};
void agg_writer_open(struct agg_writer *w, const struct agg_set *all);
int agg_writer_stacks(struct agg_writer *w, const struct agg_set *part);
void agg_writer_stacked(struct agg_writer *w);
int agg_writer_rows(struct agg_writer *w, const struct agg_set *part, unsigned i, struct buf *out);
int agg_writer_begin(const struct agg_writer *w, struct buf *out);
/* Stores in *crc what agg_writer_end needs. */
int agg_writer_agg(const struct agg_writer *w, unsigned i, struct buf *out, uint32_t *crc);
int agg_writer_end(const struct agg_writer *w, unsigned i, struct buf *out, uint32_t crc);
int agg_writer_done(const struct agg_writer *w, struct buf *out);

/* Returns the length of the file as far as its first `have` bytes show. Less than `have`: it ends there (0: not such a
 * file). *at, initially 0, stores the progress. */
size_t agg_load_wants(size_t *at, const void *file, size_t have);
/* Loads a set. Returns 0, or -1 with the error and its place in `reason` ("byte 17: ..."). */
int agg_load(struct agg_set *s, struct arena *a, const void *file, size_t size, struct buf *reason);

/* Appends the differences between two matching sets with the same text numbers (agg_set_number), the largest first.
 * Returns 0 or -ENOMEM. */
int agg_diff(struct buf *out, const struct agg_set *from, const struct agg_set *to);

#endif
