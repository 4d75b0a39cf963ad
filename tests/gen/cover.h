/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How often each thing that the language offers was met: operators, kinds of expressions, built-in variables, actions,
 * aggregating functions, IR operations; and what the runs left to compare.
 *
 * Who owns what: plain data. What can fail: cover_complete, if something never appeared that is no exception.
 */
#ifndef TESTS_GEN_COVER_H
#define TESTS_GEN_COVER_H

#include "tests/gen/case.h"

enum { COVER_OPS = OP_POSTDEC + 1, COVER_NODES = N_TYPE + 1, COVER_AGGS = 32, COVER_FAULTS = IR_FLT_BADSTACK + 1 };

struct cover {
	uint64_t op[COVER_OPS], assign[COVER_OPS], node[COVER_NODES], builtin[BI_COUNT], act[ACT_COUNT];
	uint64_t agg[COVER_AGGS], ir[IR_NOPS];
	uint64_t fault[COVER_FAULTS];	/* that happened */
	uint64_t scripts, clauses, firings, records, bytes, cells, exits;
};

/* After case_run: what the script has, and what it did. */
void cover_count(struct cover *c, const struct gen_case *k, const char *text);
/* The table, as comments. */
void cover_print(const struct cover *c);
/* Names what never appeared. */
bool cover_complete(const struct cover *c);

#endif
