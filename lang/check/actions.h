/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for calls: functions, actions and aggregating functions.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_ACTIONS_H
#define LANG_CHECK_ACTIONS_H

#include "lang/check/checker.h"

/* ---- check/call.c ---- */
struct type *check_call(struct checker *ck, struct node **np);
/* True for a call of an action. Actions have no value and must be statements. */
bool call_is_action(const struct node *n);
/* True for an action whose call is not a symbolic value either. */
bool call_is_void(const struct node *n);
/* True for a call that can be a key: stack(), sym(). */
bool call_is_symbolic(const struct node *n);
/* True for an action or function of any kind. */
bool call_is_known(const struct node *n);
void check_action(struct checker *ck, struct node *call);

/* ---- check/print.c ---- */
void check_printf(struct checker *ck, struct node *call);
void check_printa(struct checker *ck, struct node *call);

/* ---- check/tracemem.c ---- */
void check_tracemem(struct checker *ck, struct node *call);

/* ---- check/print_typed.c ---- */
void check_typed(struct checker *ck, struct node *call);

/* ---- check/destruct.c ---- */
void check_freopen(struct checker *ck, struct node *call);
void check_setopt(struct checker *ck, struct node *call);
void check_nothing(struct checker *ck, struct node *call);
void check_number(struct checker *ck, struct node *call);
void check_refused(struct checker *ck, struct node *call);

/* ---- check/spec.c ---- */
/* Checks that this kind of action may follow the previous ones of its clause. Returns false after a diagnostic. */
enum spec_kind { SPEC_K_RECORD, SPEC_K_AGG, SPEC_K_DESTRUCTIVE, SPEC_K_EXIT, SPEC_K_SPECULATE, SPEC_K_COMMIT,
	SPEC_K_DISCARD };
bool check_order(struct checker *ck, struct loc loc, enum spec_kind kind);

/* ---- check/call.c ---- */
/* Checks that the number of arguments is between min and max. */
bool check_arity(struct checker *ck, const struct node *call, unsigned min, unsigned max, enum diag_tag tag);

/* ---- check/agg.c ---- */
void check_agg(struct checker *ck, struct stmt *s);
/* Checks the number of arguments. Returns false after D_PROTO_LEN. */
bool check_agg_takes(struct checker *ck, const struct agg_func *f, const struct node *call);
/* Resolves an argument that must be a whole aggregation. The action supplies the tags for errors. */
struct agg_desc *check_agg_arg(struct checker *ck, const struct node *call, struct node *arg, enum diag_tag no_agg,
			       enum diag_tag undefined);
const char *agg_text(struct checker *ck, const char *name);

#endif
