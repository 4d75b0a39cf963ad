/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations: what an aggregating function is, how an aggregation is described, and the table that the
 * user side merges snapshots into.
 *
 * An aggregating function is one file and one row in aggregation/registry.c: how its parameters are checked,
 * how a value is added (as IR, run in the kernel), how two results merge, how one is printed.
 * Its value is a row of 64-bit words that is all zero when nothing was added, and merging is associative and
 * commutative, so that CPUs, generations, runs and hosts merge with the same code.
 *
 * Ownership: an agg_table owns its rows until agg_table_free. Descriptions live in the caller's arena.
 * Errors: checks (with diagnostics), growing a table (-ENOMEM).
 */
#ifndef AGGREGATION_AGG_H
#define AGGREGATION_AGG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "ir/ir.h"
#include "ir/value.h"

enum { AGG_MAXPARAMS = 5 };

/* The constant parameters, checked: lquantize base, limit, step; llquantize factor, low, high, steps. */
struct agg_spec {
	int64_t p[AGG_MAXPARAMS];
	unsigned nparams;
};

/* One parameter as the script gives it. */
struct agg_paramarg {
	struct loc loc;
	bool is_const;	/* an integer constant expression */
	int64_t value;
};

/* A bucket of a histogram: the values that it counts, bounds included. */
struct agg_bucket {
	bool has_min, has_max;	/* false: there is no bound on that side */
	bool empty;		/* nothing was counted; count may be 0 because of `normal`, too */
	int64_t min, max, count;
};

struct agg_func {
	const char *name;	/* "lquantize" */
	const char *doc;	/* one line */
	bool takes_value;	/* every one but count() */
	bool may_be_zero;	/* a cell that something was added to may still be all zeros */
	unsigned min_params;	/* constant parameters behind the value */
	unsigned max_params;
	bool takes_incr;	/* quantize family: an optional last argument, the weight (default 1) */
	/* Checks the parameters, fills in defaults. -1 with diagnostics. NULL: no parameters. */
	int (*check)(struct agg_spec *s, const struct agg_paramarg *arg, unsigned n, struct loc call, struct diags *d);
	/* Is `now` the same as the specification used first? -1 with the D_*MATCH* diagnostics. NULL: no parameters. */
	int (*match)(const struct agg_spec *first, const struct agg_spec *now, struct loc call, struct diags *d);
	/* Bytes of one value cell, a multiple of 8. */
	uint32_t (*size)(const struct agg_spec *s);
	/* Emits IR that adds `value` (weight `incr`) to the cell at `cell` (IR_MEM of the aggregation, offset 0).
	 * value and incr are registers or immediates. Every update is atomic on its own. */
	void (*update)(struct ir_builder *b, const struct agg_spec *s, struct ir_arg cell, struct ir_arg value,
		       struct ir_arg incr);
	/* dst += src. */
	void (*merge)(const struct agg_spec *s, int64_t *dst, const int64_t *src);
	/* What rows are sorted by. */
	int (*compare)(const struct agg_spec *s, const int64_t *a, const int64_t *b);
	/* The single number that printf's %@d shows (count, sum, min, max, avg, stddev), divided by `normal`, which is not 0:
	 * any signed or unsigned number of 64 bits. NULL for histograms. */
	int64_t (*number)(const struct agg_spec *s, const int64_t *v, __int128 normal);
	/* The same number as a fraction *num / *den, before it is divided by `normal`; *den is not 0. NULL: it is an integer. */
	void (*fraction)(const int64_t *v, int64_t *num, int64_t *den);
	/* Appends the histogram, from its header line on. NULL for numbers. */
	void (*histogram)(struct buf *out, const struct agg_spec *s, const int64_t *v, __int128 normal);
	/* Bucket i of the histogram. False behind the last one. NULL for numbers. */
	bool (*bucket)(struct agg_bucket *out, const struct agg_spec *s, const int64_t *v, unsigned i, __int128 normal);
};

/* By name, or NULL. agg_funcs ends with a NULL. */
const struct agg_func *agg_func_find(const char *name);
extern const struct agg_func *const agg_funcs[];

enum {
	AGG_MAXKEYS = 32,
	/* What a row takes of aggsize besides its key and value: the CPU's number (8 bytes) and what the kernel's hash
	 * keeps for each element (struct htab_elem, 48 bytes) and for its bucket (16). */
	AGG_ROW = 72,
};

/* Numbers of stacks from here on are those of aggregations that are cleared: good until these have been read twice. */
#define AGG_STACKS_CLEARED (1ll << 31)

/*
 * An aggregation whose keys are known beforehand, and few: each has a cell at a fixed place, which nobody looks up. Several
 * cells may be of one key. A key that is the number of the CPU needs no cells: each CPU has its own.
 */
struct agg_cells {
	uint32_t n;			/* a power of two */
	const uint8_t *keys;		/* n keys, as in desc->raw */
	uint32_t cpus;			/* bit i: raw[i] (4 bytes) is the number of the CPU */
};

/* One aggregation of a script. */
struct agg_desc {
	const char *name;		/* without '@'; "_" for the anonymous one */
	uint32_t id;			/* index in the script's list */
	uint32_t obj;			/* its IR_O_AGG object */
	const struct agg_func *func;
	struct agg_spec spec;
	struct val_field key[AGG_MAXKEYS];
	unsigned nkeys;
	uint32_t keysize;		/* multiple of 8; 0 = no key */
	/* How the key lies in the object: as in `key`, but a stack is a number, which the objects have that map frames to
	 * numbers (IR_O_DYN with `stacks`). */
	struct val_field raw[AGG_MAXKEYS];
	uint32_t rawsize;
	bool has_stacks;
	const struct agg_cells *cells;	/* NULL: rows are looked up by their keys */
	uint32_t valsize;		/* func->size(&spec) */
	uint32_t valoff;		/* where its value lies in the object's cell: aggregations may share rows */
	struct loc loc;			/* where it was first used */
	bool cleared;			/* clear() or trunc() is used on it */
};

/* ---- the user side ---- */
struct agg_row {
	uint8_t *key;		/* keysize bytes */
	int64_t *value;		/* valsize bytes */
};

struct agg_table {
	const struct agg_desc *desc;
	struct agg_row *rows;	/* n of them, in order of first appearance */
	size_t n, cap;
	uint32_t *slots;	/* hash of the key -> index + 1 */
	size_t nslots;
	__int128 normal;	/* divisor of normalize(), 1 at first; of 64 bits, with or without a sign */
	const struct val_names *names;	/* for keys that are symbolic; NULL = they are numbers */
	uint8_t *settled;	/* scratch: a key with its frames in it and its addresses settled */
	/* For keys with stacks, set by the caller that adds rows: stores the n frames of a number (0 after the last).
	 * *owner: whose stack it is (NULL: the kernel's), replaced where the stack was kept with its owner. */
	void (*frames)(void *arg, uint64_t number, uint64_t *owner, uint64_t *pc, uint32_t n);
	void *frames_arg;
};

void agg_table_init(struct agg_table *t, const struct agg_desc *desc);
void agg_table_free(struct agg_table *t);
/* Adds one cell (of one CPU, one generation) to the row of its key, which lies as in desc->raw. 0 or -ENOMEM. All-zero keyed cells make a row too. */
int agg_table_add(struct agg_table *t, const void *key, const int64_t *value);
/* The same for cell number `cell` of a CPU, where desc->cells says which key that is. */
int agg_table_add_cell(struct agg_table *t, uint32_t cell, uint32_t cpu, const int64_t *value);
/* The same with a key as it is shown, as in desc->key: what other tables hold. */
int agg_table_put(struct agg_table *t, const void *key, const int64_t *value);
/* Forgets all rows (a new snapshot replaces the old one). */
void agg_table_reset(struct agg_table *t);
/* clear(): every value becomes zero, keys stay. */
void agg_table_clear(struct agg_table *t);
/* trunc(n): keeps the n largest rows (n < 0: the |n| smallest); 0 removes all. Their memory is freed. */
void agg_table_trunc(struct agg_table *t, int64_t n);

/* Order of printing: the options aggsortkey, aggsortrev, aggsortpos, aggsortkeypos. */
struct agg_order {
	bool by_key, reverse;
	unsigned pos;		/* which aggregation of a joint printa decides */
	unsigned keypos;	/* which key decides first */
};

/* Sorts one row list. `rows` gets pointers to the rows of t, *n their number. The caller frees it.
 * Ascending by value, ties by key (integers by number, strings by bytes), as DTrace does. 0 or -ENOMEM. */
int agg_table_sort(const struct agg_table *t, const struct agg_order *o, struct agg_row ***rows, size_t *n);

/* One joint row: the same key in several aggregations (value[i] NULL where aggregation i has no such key). */
struct agg_joint {
	const uint8_t *key;
	const struct agg_desc *desc;	/* whose layout the key has: strings may be longer in one than in another */
	const int64_t **value;
};
/* Joins tables with keys of equal types, sorted by o->pos. The caller frees *rows (one block). 0 or -ENOMEM. */
int agg_join(const struct agg_table *const *t, unsigned ntables, const struct agg_order *o, struct agg_joint **rows, size_t *n);

/* -1, 0, 1: order of two keys of equal types; key number keypos decides first, the others follow round about. */
int agg_key_compare(const struct agg_desc *da, const void *a, const struct agg_desc *db, const void *b, unsigned keypos);

/* Appends keys as printa() without a format shows them, one after another. */
void agg_print_key(struct buf *out, const struct agg_desc *d, const void *key, const struct val_names *names);
/* The table as printa(@a) without a format shows it, in DTrace's layout: an empty line, then for each row the keys and
 * the value, histograms below their keys. 0 or -ENOMEM. */
int agg_print(struct buf *out, const struct agg_table *t, const struct agg_order *o);
/* printa(@a, @b, ...) without a format: keys once, then the values side by side. 0 or -ENOMEM. */
int agg_print_joint(struct buf *out, const struct agg_table *const *t, unsigned ntables, const struct agg_order *o);

#endif
