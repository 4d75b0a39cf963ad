/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internals of the checker. The entry point is lang_check (lang/compile.h); lang/check/typed.h describes its result.
 *
 * Expressions are checked bottom-up. A check function gets the address of a node pointer, because it may replace the
 * node, and returns the node's type, or NULL after a diagnostic; the caller then reports nothing more about that node.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_CHECKER_H
#define LANG_CHECK_CHECKER_H

#include "lang/check/typed.h"
#include "lang/compile.h"

enum {
	CHECK_MAXDEPTH = 1500,		/* depth of a tree after inlines and translators were expanded */
	CHECK_MAXCLONE = 1 << 17,	/* limit of nodes that inlines and translators add to a script */
};

enum check_dyn { CHECK_AGG, CHECK_AGGFUNC, CHECK_XLATE, CHECK_NDYN };

struct checker {
	struct compiler *c;
	struct types *t;
	struct diags *d;
	struct arena *a;
	struct script *s;
	struct var *builtins[BI_COUNT];
	struct map shapes;		/* struct var *, struct agg_desc * -> struct key_shape */
	struct map inlines;		/* struct inline_def * -> struct inline_state */
	struct map ksyms;		/* "mod`x" -> struct ksym_value */
	struct map tls;			/* struct var * -> struct tls_use */
	struct map elsewhere;		/* members of other systems' structures that were noted */
	struct map doubts;		/* struct loc: places with a warning */
	struct map *declared;		/* check/pred.c: variables that clauses declare; NULL: not collected yet */
	struct map wide;		/* check/widen.c: key of a variable -> struct widened */
	bool ahead;			/* check/widen.c looks ahead */
	struct map reported;		/* name, "name()" -> struct reported */
	struct type *dyn[CHECK_NDYN];	/* T_DYN: types of expressions without a value */
	size_t cloned;
	unsigned depth;
	struct loc use;			/* where the script uses the definition of share/ that is being expanded */
	bool limit_said;
	bool declaring;			/* do not expand translations: they may use each other */
	VEC(struct clause *) waiting;	/* for later clauses (check_waits) */
	/* the clause being checked */
	const struct clause *clause;
	const struct provider *own;	/* the first provider of the clause's probes with separate self-> variables */
	bool in_other;			/* the clause has probes of other providers */
	bool in_key;			/* in the key of an aggregation */
	unsigned action;
	bool in_predicate;
	const struct loc *site;		/* in a generated expression: the clause that needs it */
	bool commits, speculates, records;	/* what previous actions of the clause do */
};

/* Records an error. Returns NULL, for `return check_fail(...)`. */
void *check_fail(struct checker *ck, struct loc loc, enum diag_tag tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Like check_fail, but once per name in a script ("name()" for a function), at its first place in the text. */
void *check_fail_once(struct checker *ck, struct loc loc, enum diag_tag tag, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Errors in the language's own files are reported at `use` from here on, unless it is in one of them itself. Returns
 * the previous place, which the caller stores in ck->use when the expansion is complete. */
struct loc check_use(struct checker *ck, struct loc use);
static inline const char *check_text(struct checker *ck, const struct type *t) { return type_text(ck->t, t); }
/* Checks any expression, including arrays, structures and void. */
struct type *check_expr(struct checker *ck, struct node **np);
bool check_deeper(struct checker *ck, struct loc loc);

#endif
