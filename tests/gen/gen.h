/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random D scripts that compile: the same seed gives the same text. Every operation is in parentheses and every
 * statement on a separate line, so that a script can be shrunk without a parser (shrink.c).
 *
 * Who owns what: the caller owns the text. What can fail: nothing.
 */
#ifndef TESTS_GEN_GEN_H
#define TESTS_GEN_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum { GEN_INTS = 8, GEN_ARRAYS = 4, GEN_AGGS = 10, GEN_KEYS = 3 };

struct gen_key {
	uint8_t type[GEN_KEYS];	/* of gen_types, or GEN_STRING */
	unsigned n;
	bool few;			/* few values, which are known at compile time */
};

struct script_gen {
	uint64_t x;			/* random state */
	struct buf *out;
	unsigned fuel;			/* operations that this clause may still have */
	bool kernel;			/* kernel types are available */
	bool mem;			/* this clause has scratch memory */
	bool self;			/* thread variables, too */
	uint8_t ints[GEN_INTS];		/* types of g0 ..., self->n0 ..., this->t0 ... */
	struct gen_key array[GEN_ARRAYS];
	uint8_t elem[GEN_ARRAYS];
	struct gen_key agg[GEN_AGGS];
	uint8_t func[GEN_AGGS];
	const char *params[GEN_AGGS];
};

enum { GEN_STRING = 255 };
extern const char *const gen_types[];
extern const unsigned gen_ntypes;

/* A whole script. */
void gen_script(struct buf *out, uint64_t seed);

/* ---- between the files ---- */
unsigned gen_dice(struct script_gen *g, unsigned n);	/* 0 .. n - 1 */
#define gen_pick(g, list) ((list)[gen_dice((g), sizeof(list) / sizeof *(list))])
void gen_int(struct script_gen *g);		/* an integer expression */
void gen_constant(struct script_gen *g);
void gen_nonconst(struct script_gen *g);	/* one that is no constant: a divisor */
void gen_str(struct script_gen *g);		/* a string expression */
void gen_keys(struct script_gen *g, const struct gen_key *k);	/* "[key, ...]", or nothing */
void gen_var(struct script_gen *g);		/* an integer that can be assigned */
void gen_strvar(struct script_gen *g);
void gen_leaf(struct script_gen *g);		/* an integer without operators */
void gen_wide(struct script_gen *g);		/* a statement with a long expression */
void gen_mem_declare(struct script_gen *g);
void gen_mem_statement(struct script_gen *g);
void gen_mem_int(struct script_gen *g);
void gen_mem_str(struct script_gen *g);
void gen_format(struct script_gen *g);		/* printf(...) */

#endif
