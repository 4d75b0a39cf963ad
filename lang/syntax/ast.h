/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The syntax tree. The parser builds it; the checker resolves names, adds types and expands translators, inlines,
 * sizeof and macro variables; lower.c turns it into IR.
 *
 * Ownership: the compile arena owns everything. Plain data. Errors: none.
 */
#ifndef LANG_SYNTAX_AST_H
#define LANG_SYNTAX_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "aggregation/agg.h"
#include "base/diag.h"
#include "lang/types/types.h"
#include "providers/provider.h"

enum node_kind {
	N_INT,		/* value */
	N_STR,		/* str, len (no NUL inside; C escapes resolved) */
	N_IDENT,	/* str: only before the checker */
	N_VAR,		/* var: scalar or string variable, built-in variable */
	N_INDEX,	/* var[args]: associative array element; before the checker, any a[args] */
	N_AGG,		/* agg[args]: in S_AGG and as an argument of printa, clear, ...; str is its name ("_": @) */
	N_UNARY,	/* op a: OP_NEG OP_PLUS OP_NOT OP_LNOT OP_PREINC OP_PREDEC OP_POSTINC OP_POSTDEC */
	N_BINARY,	/* a op b, including LAND LOR LXOR */
	N_ASSIGN,	/* a = b, or a op= b (op OP_NONE for plain) */
	N_COND,		/* a ? b : c */
	N_COMMA,	/* a, b */
	N_CALL,		/* str(args): the checker sets act or func */
	N_CAST,		/* (type)a; stringof is a cast to string */
	N_SIZEOF,	/* before the checker: sizeof a; a is an expression or an N_TYPE */
	N_MEMBER,	/* a.str or a->str (arrow): bitoff, bits */
	N_DEREF,	/* *a */
	N_ADDR,		/* &a */
	N_PTRINDEX,	/* a[b] on a pointer or a C array */
	N_XLATE,	/* before the checker: xlate<type>(a); type is set */
	N_TYPE,		/* a type as an operand of sizeof */
};

enum op {
	OP_NONE,
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR,
	OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_LAND, OP_LOR, OP_LXOR,
	OP_NEG, OP_PLUS, OP_NOT, OP_LNOT, OP_PREINC, OP_PREDEC, OP_POSTINC, OP_POSTDEC,
};

/* Built-in variables, one per row of lang/syntax/builtin.def. */
enum builtin {
	BI_NONE,
#define BUILTIN(name, type, doc) BI_##name,
#include "lang/syntax/builtin.def"
#undef BUILTIN
	BI_COUNT
};

enum var_class { VC_GLOBAL, VC_THIS, VC_SELF, VC_BUILTIN };

enum { VAR_MAXKEYS = 16 };

struct var {
	const char *name;
	enum var_class cls;
	enum builtin builtin;		/* VC_BUILTIN */
	struct type *type;		/* type of the value; NULL until the first assignment */
	struct type *key[VAR_MAXKEYS];	/* associative array: types of the stored keys */
	unsigned nkeys;			/* 0 = scalar */
	bool is_array;
	bool inferred;			/* the type comes from the first assignment, not from a declaration */
	bool text;			/* a string that was assigned as a pointer: true in a condition unless empty */
	struct loc loc;			/* first use */
	uint32_t obj;			/* lower.c: IR object + 1; 0 = none yet */
	const struct clause *clause;	/* clause-local: the last clause that uses it */
	bool shared;			/* clause-local: several clauses use it */
	bool reached;			/* some variable holds a pointer into this one */
	uint32_t reach;			/* number among the variables with addresses, from 1; 0 = none yet */
};

enum action {
	ACT_NONE,
#define ACTION(name, text, min, max, destructive) ACT_##name,
#include "lang/syntax/action.def"
#undef ACTION
	ACT_COUNT
};

/* True if the action adds anything to the clause's record, even only a mark that it ran. */
static inline bool action_records(enum action a) { return a < ACT_SPECULATE; }

enum { NODE_MAXDEPTH = 1000 };

struct node {
	enum node_kind kind;
	enum op op;
	struct loc loc;
	struct type *type;		/* after the checker: never NULL for an expression */
	struct node *a, *b, *c;
	struct node **args;
	unsigned nargs;
	uint64_t value;			/* N_INT */
	bool setting;			/* N_INT: from a macro variable or an inline that configures the script */
	bool enclosed;			/* N_ASSIGN: enclosed in parentheses */
	const char *str;		/* N_STR, N_IDENT, N_CALL, N_MEMBER: name or text */
	size_t len;			/* N_STR */
	struct var *var;
	struct agg_desc *agg;
	enum action act;		/* N_CALL of an action */
	const struct func *func;	/* N_CALL of a function (lang/func.h), after the checker */
	bool arrow;			/* N_MEMBER: '->', not '.' */
	bool scaled;			/* N_BINARY: index times element size; faults outside RANGE_MEMORY */
	uint64_t bitoff;		/* N_MEMBER */
	uint32_t bits;
	char scope;			/* N_IDENT, N_INDEX before the checker: 0, 't' this->, 's' self->, '`' kernel */
	uint16_t depth;			/* depth of the tree below this node, at most NODE_MAXDEPTH */
	struct type *shown;		/* print: the argument's type */
	struct fmt *fmt;		/* printf, printa with a format: the parsed format (lang/syntax/format.h) */
};

/* ++x, x--, ... */
static inline bool node_is_step(const struct node *n)
{
	return n->kind == N_UNARY && n->op >= OP_PREINC;
}

/* S_AGG is `@a[k] = f(...)`. Any other assignment to an aggregation stays an N_ASSIGN of N_AGG. */
enum stmt_kind { S_EXPR, S_IF, S_AGG };

struct stmt {
	enum stmt_kind kind;
	struct loc loc;
	struct stmt *next;
	struct node *expr;		/* S_EXPR: expression or action; S_IF: condition; S_AGG: the N_AGG target */
	struct node *call;		/* S_AGG: the aggregating function's N_CALL: args = value, [weight]; parameters
					 * are in agg->spec */
	bool shares;			/* S_AGG: shares the row of the previous statement (lang/lower/share.c) */
	bool chosen;			/* S_EXPR: the chosen operand of c ? a : b; need not have an effect */
	struct stmt *yes, *no;		/* S_IF */
	uint16_t depth;			/* nesting depth of the ifs below, limited like a node's */
	unsigned action;		/* number of the action in its clause, from 1, for fault messages */
};

struct clause {
	struct clause *next;
	struct loc loc;
	VEC(struct probe_spec) specs;
	VEC(struct probe *) probes;	/* the probes that `specs` match, after lang_match */
	bool follows;			/* `specs` may match more probes while the program runs */
	VEC(struct probe *) anchors;	/* at these gates (struct provider_gates) */
	struct node *pred;		/* NULL: no predicate */
	struct stmt *body;
	bool has_body;			/* false: "probe" or "probe /pred/" without a body: the default action */
	unsigned index;
};

/* A member of a translator. */
struct xlate_member {
	const char *name;
	struct node *expr;
	struct loc loc;
	bool failed;			/* an error in it was already reported */
};

struct translator {
	struct translator *next;
	struct type *to, *from;
	const char *param;
	VEC(struct xlate_member) members;
	struct loc loc;
};

struct inline_def {
	const char *name;
	struct type *type;
	const char *const *params;	/* inline with parameters: name[int x, string y] */
	struct type *const *types;
	unsigned nparams;
	struct node *expr;
	struct loc loc;
};

/* One #pragma D option name[=value]. */
struct pragma_option {
	const char *name, *value;	/* value is NULL if there is no '=' */
	struct loc loc;
};

/* A probe of a provider declaration. */
struct declared_param {
	const char *name;		/* NULL: it has none */
	struct type *type;
};
struct declared_params {
	struct declared_param *v;
	size_t n, cap;
};
struct declared_probe {
	const char *name;		/* as in C: function__entry */
	struct loc loc;
	struct declared_params in;	/* what the program passes: argN */
	struct declared_params out;	/* args[]; those of `in`, by name */
	bool maps;			/* `out` was declared, too */
};
struct declared_provider {
	const char *name;
	struct loc loc;
	VEC(struct declared_probe) probes;
};

enum text_origin {
	FROM_SCRIPT,		/* the user's, or a text made for it */
	FROM_PRELUDE,		/* the language's own: share/prelude.d, net.d */
	FROM_CONSTANTS,	/* constants.d */
	FROM_ELSEWHERE,	/* elsewhere.d */
};

static inline enum text_origin loc_origin(struct loc l)
{
	return l.src ? (enum text_origin)l.src->origin : FROM_SCRIPT;
}

struct script {
	struct arena *arena;
	struct clause *clauses, **clause_tail;
	unsigned nclauses;
	struct map vars;		/* "x", "this x", "self x" -> struct var */
	struct map aggs;		/* name -> struct agg_desc */
	VEC(struct agg_desc *) agglist;
	struct map inlines;		/* name -> struct inline_def */
	struct map typedefs;		/* the script's typedefs: name -> struct type */
	struct translator *translators;
	VEC(struct { const char *name, *pragma; struct loc loc; }) named;	/* from #pragma D attributes, binding */
	VEC(struct pragma_option) options;
	VEC(struct declared_provider *) providers;	/* declared in the script */
};

#endif
