/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations: aggregating functions, descriptions of aggregations, and the user-side table into which snapshots are
 * merged.
 *
 * An aggregating function is one file, named in AGG_FUNCTIONS of aggregation/local.mk. It says how to check
 * parameters, add a value (in IR, run by the engine), merge two results and print one. Its value is an array of
 * 64-bit words, all zero if nothing was added. Merging is associative and commutative, so the same code merges CPUs,
 * generations, runs and hosts.
 *
 * Ownership: an agg_table owns its rows until agg_table_free. Descriptions live in the caller's arena.
 * Errors: checks record diagnostics; functions that grow a table return -ENOMEM.
 */
#ifndef AGGREGATION_AGG_H
#define AGGREGATION_AGG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aggregation/stack_tree.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/interval.h"
#include "base/pool.h"
#include "ir/ir.h"
#include "ir/value.h"

enum { AGG_MAXPARAMS = 5 };

/* The checked constant parameters: lquantize base, limit, step; llquantize factor, low, high, steps. */
struct agg_spec {
	int64_t p[AGG_MAXPARAMS];
	unsigned nparams;
};

/* One parameter from the script. */
struct agg_paramarg {
	struct loc loc;
	bool is_const;	/* an integer constant expression */
	int64_t value;
};

/* A bucket of a histogram; the bounds are inclusive. */
struct agg_bucket {
	bool has_min, has_max;	/* false: no bound on that side */
	bool empty;		/* nothing was counted; count may also be 0 because of `normal` */
	int64_t min, max, count;
};

/* What a cell knows about the values that were added to it. */
struct agg_parts {
	bool has_count, has_sum;
	int64_t count, sum;	/* not divided by `normal` */
};

struct agg_func {
	const char *name;	/* "lquantize" */
	const char *doc;	/* one line */
	bool takes_value;	/* all except count() */
	bool may_be_zero;	/* a cell may be all zeros after a value was added */
	unsigned min_params;	/* constant parameters after the value */
	unsigned max_params;
	bool scales;		/* a value can be added many times at once: update uses incr */
	bool takes_incr;	/* quantize family: an optional last argument, the weight (default 1) */
	/* Checks the parameters and sets defaults. Returns 0, or -1 with diagnostics. NULL: no parameters. */
	int (*check)(struct agg_spec *s, const struct agg_paramarg *arg, unsigned n, struct loc call, struct diags *d);
	/* Checks that `now` equals the first specification. Returns 0, or -1 with D_*MATCH* diagnostics. NULL: no
	 * parameters. */
	int (*match)(const struct agg_spec *first, const struct agg_spec *now, struct loc call, struct diags *d);
	/* Bytes of one value cell, a multiple of 8. */
	uint32_t (*size)(const struct agg_spec *s);
	/* Emits IR that adds `value` (weight `incr`) to the cell at `cell` (IR_MEM of the aggregation, offset 0).
	 * value and incr are registers or immediates. Unless takes_incr, incr is from 1 to 2^32; it is 1 unless
	 * scales. Every update is atomic on its own. */
	void (*update)(struct ir_builder *b, const struct agg_spec *s, struct ir_arg cell, struct ir_arg value,
		       struct ir_arg incr);
	/* dst += src. */
	void (*merge)(const struct agg_spec *s, int64_t *dst, const int64_t *src);
	/* What rows are sorted by. */
	int (*compare)(const struct agg_spec *s, const int64_t *a, const int64_t *b);
	/* The number that printf's %@d shows (count, sum, min, max, avg, stddev), divided by `normal`, which is any
	 * signed or unsigned 64-bit number except 0. NULL for histograms. */
	int64_t (*number)(const struct agg_spec *s, const int64_t *v, __int128 normal);
	/* The same number as a fraction *num / *den, not divided by `normal`; *den is not 0. NULL: it is an integer. */
	void (*fraction)(const int64_t *v, int64_t *num, int64_t *den);
	/* Stores the number and the sum of the values, as far as the cell has them. NULL: neither, or a histogram. */
	void (*parts)(const int64_t *v, struct agg_parts *out);
	/* Appends the histogram with its header line. NULL for numbers. */
	void (*histogram)(struct buf *out, const struct agg_spec *s, const int64_t *v, __int128 normal);
	/* Stores bucket i of the histogram, whose count is word i of the cell. Returns false after the last one. NULL
	 * for numbers. */
	bool (*bucket)(struct agg_bucket *out, const struct agg_spec *s, const int64_t *v, unsigned i, __int128 normal);
};

/* By name, or NULL. agg_funcs ends with a NULL. */
const struct agg_func *agg_func_find(const char *name);
extern const struct agg_func *const agg_funcs[];

enum {
	AGG_MAXKEYS = 32,
	/* Bytes of aggsize for a row besides its key and value: the CPU's number (8 bytes), and the kernel's
	 * overhead for an element (struct htab_elem, 48 bytes) and its bucket (16). */
	AGG_ROW = 72,
};

/* Stack numbers from here on belong to aggregations that are cleared; valid until these have been read twice. */
#define AGG_STACKS_CLEARED (1ll << 31)

/*
 * Numbered cells: if an aggregation has few keys, all known at compile time, each has a cell at a fixed place and no
 * lookup is needed. Several cells may have the same key. A key that is the CPU number needs no cells: each CPU has its
 * own.
 */
struct agg_cells {
	uint32_t n;			/* a power of two */
	const uint8_t *keys;		/* n keys, as in desc->raw */
	uint32_t cpus;			/* bit i: raw[i] (4 bytes) is the CPU number */
};

/* One aggregation of a script. */
struct agg_desc {
	const char *name;		/* without '@'; "_" for the anonymous one */
	uint32_t id;			/* index in the script's list */
	uint32_t obj;			/* its IR_O_AGG object */
	const struct agg_func *func;
	struct agg_spec spec;
	struct val_field key[AGG_MAXKEYS];
	const char *keyname[AGG_MAXKEYS];	/* of a key that is a variable or a member: its name; else NULL */
	unsigned nkeys;
	uint32_t keysize;		/* multiple of 8; 0 = no key */
	/* Layout of the key in the object: as in `key`, but a stack is a number from an object that maps frames to
	 * numbers (IR_O_DYN with `stacks`). */
	struct val_field raw[AGG_MAXKEYS];
	uint32_t rawsize;
	bool has_stacks;
	const struct agg_cells *cells;	/* NULL: rows are looked up by their keys */
	uint32_t valsize;		/* func->size(&spec) */
	uint32_t valoff;		/* offset of its value in the object's cell: aggregations may share rows */
	struct loc loc;			/* its first use */
	bool cleared;			/* clear() or trunc() is used on it */
	bool generations;		/* its object has two: reading it empties it */
};

/* ---- the user side ---- */
/* The key follows the value. If the last field of the layout is a stack (agg_key_layout), the row has its number in
 * agg_table.stacks. agg_row_key makes the key. */
struct agg_row {
	int64_t *value;		/* valsize bytes */
};

/* Of a table of count() whose events are samples: what the intervals of shares need. */
struct agg_samples {
	bool on;		/* printing shows each row's share and its 95 % interval */
	uint64_t removed;	/* samples of rows that trunc(n) has removed */
	uint64_t total;		/* all samples, removed ones included; set by agg_samples_sum */
	uint64_t lost;		/* samples that were due and not taken: their rows are unknown */
	uint64_t idle;		/* further ones that idle CPUs did not deliver; not part of `lost` */
	bool known;		/* `lost` and `idle` are known */
};

struct agg_table {
	const struct agg_desc *desc;
	struct agg_row *rows;	/* n of them, in order of first appearance */
	size_t n, cap;
	struct pool cells;	/* what the rows have */
	struct stack_tree stacks;	/* of the key field that ends the layout */
	uint32_t packed;	/* its nodes when it was last without those of removed rows */
	uint8_t *whole;		/* scratch: the key that agg_row_key has made; NULL: keys have no such field */
	int tail;		/* index of the key field that ends the layout, if it is a stack; else -1 */
	uint64_t *slots;	/* upper half: hash of the key; lower half: index of its row + 1, 0 = free */
	size_t nslots;
	__int128 normal;	/* divisor of normalize(), initially 1; a signed or unsigned 64-bit number */
	const struct val_names *names;	/* for symbolic keys; NULL: show numbers */
	struct agg_samples samples;
	uint8_t *settled;	/* scratch: a key with frames and settled addresses */
	/* For keys with stacks, set by the caller that adds rows: stores the frames of a stack number in pc[n] (0
	 * after the last). *owner: the stack's owner (NULL: the kernel), replaced if the stack was stored with its
	 * owner. */
	void (*frames)(void *arg, uint64_t number, uint64_t *owner, uint64_t *pc, uint32_t n);
	void *frames_arg;
};

/* Sets the offsets of the fields in desc->key and the size of the key: the longest stack is the last one. */
void agg_key_layout(struct agg_desc *desc);
/* The key of a row in the layout of desc->key, up to the word after the last frame of its last stack, which is 0. If
 * t->tail is not -1, it is valid until the next call for a row of this table, or until rows are added. */
const uint8_t *agg_row_key(const struct agg_table *t, const struct agg_row *row);
/* Copies such a key, and appends zeros. to: desc->keysize bytes. */
void agg_key_copy(const struct agg_desc *desc, void *to, const uint8_t *key);
void agg_table_init(struct agg_table *t, const struct agg_desc *desc);
void agg_table_free(struct agg_table *t);
/* Merges one cell (of one CPU and generation) into the row of its key, whose layout is desc->raw. An all-zero cell
 * makes a row too. Returns 0 or -ENOMEM. */
int agg_table_add(struct agg_table *t, const void *key, const int64_t *value);
/* The same for cell number `cell` of a CPU; desc->cells gives its key. */
int agg_table_add_cell(struct agg_table *t, uint32_t cell, uint32_t cpu, const int64_t *value);
/* The same with a key in the layout desc->key, as in other tables. */
int agg_table_put(struct agg_table *t, const void *key, const int64_t *value);
/* Moves rows to another table of this aggregation. fn stores the new key of a row, desc->keysize bytes in *to, or
 * returns false to keep the row. Returns 0 or -ENOMEM. */
typedef bool agg_rekey_fn(void *arg, const struct agg_desc *desc, const uint8_t *key, uint8_t *to);
int agg_table_move(struct agg_table *from, struct agg_table *to, agg_rekey_fn *fn, void *arg);
/* Moves all rows. */
int agg_table_join(struct agg_table *to, struct agg_table *from);
/* Removes all rows (before a new snapshot). */
void agg_table_reset(struct agg_table *t);
/* If samples.on: sets samples.total. Call it after the rows have changed. */
void agg_samples_sum(struct agg_table *t);
/* If samples.on and value is not NULL: stores the share of a row's value and its 95 % interval
 * (interval_wilson_lost), and returns true. */
bool agg_samples_share(const struct agg_table *t, const int64_t *value, double *share, struct share_interval *out);
/* clear(): sets every value to zero; keys stay. */
void agg_table_clear(struct agg_table *t);
/* trunc(n): keeps the n largest rows (n < 0: the |n| smallest); 0 removes all. Frees their memory. */
void agg_table_trunc(struct agg_table *t, int64_t n);

/* Order of printing: the options aggnonzero, aggsortkey, aggsortrev, aggsortpos, aggsortkeypos, aggsortonly. */
struct agg_order {
	bool by_key, reverse;
	bool nonzero;		/* rows whose values are all 0 are left out */
	bool only;		/* a joint printa leaves out keys that the deciding aggregation does not have */
	unsigned pos;		/* index of the deciding aggregation in a joint printa */
	unsigned keypos;	/* index of the key that decides first */
};

/* Stores in *rows pointers to the rows of t, sorted as in DTrace: ascending by value, ties by key (integers by number,
 * strings by bytes); *n: their number. The caller frees *rows. Returns 0 or -ENOMEM. */
int agg_table_sort(const struct agg_table *t, const struct agg_order *o, struct agg_row ***rows, size_t *n);

/* One joint row: the same key in several aggregations (value[i] is NULL if aggregation i does not have it). */
struct agg_joint {
	const struct agg_table *table;	/* that of the first row with the key: sizes of strings may differ */
	const struct agg_row *row;
	const int64_t **value;
};
/* Joins tables with keys of equal types, sorted by o->pos, with o->only without the keys that table does not
 * have. The caller frees *rows (one block). Returns 0 or -ENOMEM. */
int agg_join(const struct agg_table *const *t, unsigned ntables, const struct agg_order *o, struct agg_joint **rows,
	     size_t *n);

/* How keys are compared: field `first` decides first, then the following ones, then those from 0. */
struct agg_key_order {
	unsigned first;
	const struct val_names *names;	/* those of their tables; may be NULL */
};
/* Compares keys of equal types: -1, 0, 1. */
int agg_key_compare(const struct agg_desc *da, const void *a, const struct agg_desc *db, const void *b,
		    const struct agg_key_order *o);

/* Tells t->names that the key shown next stands for the value of count(), or for one sample. */
void agg_weigh(const struct agg_table *t, const int64_t *value);
/* Appends the fields of a key as printa() without a format does. */
void agg_print_key(struct buf *out, const struct agg_desc *d, const void *key, const struct val_names *names);
/* Appends the table as printa(@a) without a format does, in DTrace's layout: an empty line, then for each row the
 * keys and the value; histograms follow their keys. With samples.on, the share and its interval follow the value.
 * Returns 0 or -ENOMEM. */
int agg_print(struct buf *out, const struct agg_table *t, const struct agg_order *o);
/* The same without the empty line. Calls row_done(arg) after each row, which may empty the buffer; may be NULL. */
int agg_print_rows(struct buf *out, const struct agg_table *t, const struct agg_order *o, void (*row_done)(void *arg),
		   void *arg);
/* printa(@a, @b, ...) without a format: keys once, then the values side by side. Returns 0 or -ENOMEM. */
int agg_print_joint(struct buf *out, const struct agg_table *const *t, unsigned ntables, const struct agg_order *o);

#endif
