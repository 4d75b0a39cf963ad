/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts every feature of the language in scripts: operators, kinds of expressions, built-in variables, actions,
 * aggregating functions, IR operations; and the results of the runs.
 *
 * Who owns what: plain data. What can fail: cover_complete, if a feature that is no exception never appeared.
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

/* After case_run: counts the features of the script and its results. */
void cover_count(struct cover *c, const struct gen_case *k, const char *text);
/* The table, as comments. */
void cover_print(const struct cover *c);
/* Names the features that never appeared. */
bool cover_complete(const struct cover *c);

#endif
