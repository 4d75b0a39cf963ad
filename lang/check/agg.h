/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for aggregations.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_AGG_H
#define LANG_CHECK_AGG_H

#include "lang/check/checker.h"

void check_agg(struct checker *ck, struct stmt *s);
/* Checks the number of arguments. Returns false after D_PROTO_LEN. */
bool check_agg_takes(struct checker *ck, const struct agg_func *f, const struct node *call);
/* Resolves an argument that must be a whole aggregation. The action supplies the tags for errors. */
struct agg_desc *check_agg_arg(struct checker *ck, const struct node *call, struct node *arg, enum diag_tag no_agg,
			       enum diag_tag undefined);
const char *agg_text(struct checker *ck, const char *name);

#endif
