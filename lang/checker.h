/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internals of the checker, shared by check*.c. The entry point is lang_check (lang/compile.h); lang/check.h describes
 * its result.
 *
 * Expressions are checked bottom-up. A check function gets the address of a node pointer, because it may replace the
 * node, and returns the node's type, or NULL after a diagnostic; the caller then reports nothing more about that node.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECKER_H
#define LANG_CHECKER_H

#include "lang/check.h"
#include "lang/compile.h"

enum {
	CHECK_MAXDEPTH = 1500,		/* depth of a tree, after inlines and translators were expanded */
	CHECK_MAXCLONE = 1 << 17,	/* most nodes that inlines and translators may add to a script */
};

/* The constants among the values of a key. */
struct key_constants {
	bool only;			/* nothing else so far: the first variable decides the type */
	int64_t lo;			/* the smallest negative one, 0: none */
	uint64_t hi;			/* the largest other one */
};

/* The key of an array or an aggregation, combined from all its uses. */
struct shape {
	const char *name;		/* "a", "@a": for messages */
	struct type *key[AGG_MAXKEYS];
	struct key_constants constants[AGG_MAXKEYS];
	unsigned nkeys;
	bool known;
	bool fixed;			/* declared: the types are fixed */
	VEC(struct node *) uses;
};

enum check_dyn { CHECK_AGG, CHECK_AGGFUNC, CHECK_XLATE, CHECK_NDYN };

struct checker {
	struct compiler *c;
	struct types *t;
	struct diags *d;
	struct arena *a;
	struct script *s;
	struct var *builtins[BI_COUNT];
	struct map shapes;		/* struct var *, struct agg_desc * -> struct shape */
	struct map inlines;		/* struct inline_def * -> its struct inline_state */
	struct map ksyms;		/* "mod`x" -> struct ksym */
	struct map tls;			/* struct var * -> struct tls_use */
	struct map doubts;		/* struct loc: where a warning stands already */
	struct map reported;		/* name, "name()" -> struct reported */
	struct type *dyn[CHECK_NDYN];	/* T_DYN: types of things without a value */
	size_t cloned;
	unsigned depth;
	bool limit_said;
	bool declaring;			/* do not expand translations: they may use each other */
	/* the clause being checked */
	const struct clause *clause;
	const struct provider *own;	/* of the clause's probes, the first provider with self-> variables of its own */
	bool in_other;			/* there are probes of other providers */
	bool in_key;			/* of an aggregation */
	unsigned action;
	bool commits, speculates, records;	/* previous actions of the clause */
};

/* Records an error. Returns NULL, for `return check_fail(...)`. */
void *check_fail(struct checker *ck, struct loc loc, enum diag_tag tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The same, but only once per name in a script ("name()" for a function), at its first place in the text. */
void *check_fail_once(struct checker *ck, struct loc loc, enum diag_tag tag, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
static inline const char *check_text(struct checker *ck, const struct type *t) { return type_text(ck->t, t); }
/* "+", "==", "++", "+=" for an assignment. */
const char *op_text(enum op op);

/* ---- check_expr.c ---- */
/* Checks any expression, including arrays, structures and void. */
struct type *check_expr(struct checker *ck, struct node **np);
bool check_deeper(struct checker *ck, struct loc loc);

/* ---- check_conv.c ---- */
struct node *check_node(struct checker *ck, enum node_kind kind, struct loc loc, struct type *type);
struct node *check_int(struct checker *ck, struct loc loc, struct type *type, uint64_t value);
/* Any expression but a function's name. An array of characters becomes a string, another one a pointer. The type may
 * have no values (structures, void, T_SYMBOLIC, T_DYN): the caller reports what is wrong with it. */
struct type *check_value(struct checker *ck, struct node **np);
/* The same, but every array becomes a pointer. */
struct type *check_operand(struct checker *ck, struct node **np);
/* Checks an expression whose value is unused: void is allowed. */
struct type *check_discarded(struct checker *ck, struct node **np);
/* Checks a key: a value or a structure. */
struct type *check_key(struct checker *ck, struct node **np);
/* The type of an aggregation, of a call of an aggregating function, or of a translation. */
struct type *check_dynamic(struct checker *ck, enum check_dyn what);
/* Reports D_OP_DYN or D_OP_ACT for an invalid operand of ',' or '?:'. Returns true if there is none. */
bool check_branches(struct checker *ck, const struct node *a, const struct node *b, const char *op);
/* Why a checked expression has no value, for the end of a message; "" if it has one. */
const char *check_why(struct checker *ck, const struct node *n);
/* Reports D_CG_DYN or D_CG_EXPR if there is nothing to compute. Returns true if there is. */
bool check_computes(struct checker *ck, const struct node *n);
/* An integer or pointer to test against 0; else `tag` with this text. */
struct type *check_scalar(struct checker *ck, struct node **np, enum diag_tag tag, const char *what);
struct node *check_cast(struct checker *ck, struct node *n, struct type *to);
void check_decay(struct checker *ck, struct node **np);
/* Converts characters in memory to a string. Returns false if it is not a string. */
bool check_string(struct checker *ck, struct node **np);
/* A pointer to this place: into the memory of a process if the place is there. */
struct type *check_pointer_to(struct checker *ck, const struct node *place, struct type *to);
/* The type of two checked values of which at least one is a pointer, as == and ?: need it. NULL: they do not fit
 * together, as an integer and a pointer do not, unless the integer is the constant 0. */
struct type *check_common_pointer(const struct node *a, const struct node *b);
/* Converts a checked value to a type as an assignment does. Returns false if the types are incompatible. */
bool check_convert(struct checker *ck, struct node **np, struct type *to);
/* True if a variable, a key or a field may have this type. */
bool type_is_value(const struct type *t);
/* A built-in variable that is only made of its members. */
bool check_is_dynamic(const char *name);

/* ---- check_binary.c ---- */
struct type *check_binary(struct checker *ck, struct node **np);
struct type *check_cond(struct checker *ck, struct node **np);
/* The type of a checked integer after C's integer promotion, of two after the usual arithmetic conversions. */
struct type *check_promoted(struct checker *ck, const struct node *n);
struct type *check_usual(struct checker *ck, const struct node *a, const struct node *b);
/* An integer, checked already, as the bytes that it moves a pointer of this type. NULL: the elements have no size. */
struct node *check_scaled(struct checker *ck, struct node *n, const struct type *ptr);

/* ---- check_var.c ---- */
struct type *check_ident(struct checker *ck, struct node **np);
struct type *check_var(struct checker *ck, struct node **np);
struct type *check_index(struct checker *ck, struct node **np);
/* args[], uregs[] */
bool check_builtin_is_array(enum builtin bi);
struct node *check_builtin_node(struct checker *ck, enum builtin bi, struct loc loc);
/* Checks the expressions between the brackets. */
bool check_subscripts(struct checker *ck, struct node *n);
/* Makes n, its keys checked, an element of v. */
bool check_array(struct checker *ck, struct node *n, struct var *v);
/* self-> variables in probes of providers that have their own: records each use; at the end, warns. */
void check_note_tls(struct checker *ck, const struct var *v, struct loc loc);
void check_tls(struct checker *ck);

/* ---- pragma.c ---- */
/* What #pragma D attributes and binding name must be defined somewhere. */
void pragma_check_named(struct compiler *c);

/* ---- check_args.c ---- */
/* True if it is args[n]. */
bool check_is_args(const struct node *n);
/* Makes the node the name of an inline that has its value. False after a diagnostic. */
bool check_probe_args(struct checker *ck, struct node *n);
/* What the sites of the script's probes say. */
void check_sites(struct checker *ck);

/* ---- check_ksym.c ---- */
/* `x */
struct type *check_kernel(struct checker *ck, struct node **np);
/* The name of a variable that only another system has becomes that of the inline that stands for it here. */
bool check_kernel_inline(struct checker *ck, struct node *name);

/* ---- check_name.c ---- */
struct builtin_info {
	const char *name, *type;
};
extern const struct builtin_info builtin_info[BI_COUNT];
enum builtin builtin_find(const char *name);
/* R_RIP, R_SP ...: its index in uregs[], or -1. */
int reg_find(const char *name);
/* The variable of this name, or NULL. make: as yet without a type. */
struct var *check_find_var(struct checker *ck, const struct node *n, bool make);
/* Can an unscoped name be a variable? False after D_IDENT_BADREF: it is a function of some kind. */
bool check_is_variable(struct checker *ck, const struct node *n);
/* D_UNSUPPORTED if the name is one that DTrace has and dtr not yet. */
bool check_later(struct checker *ck, const char *name, bool call, struct loc loc);
/* "self->x" */
const char *var_text(struct checker *ck, const struct node *n);

/* ---- check_pred.c ---- */
/* True if a clause's predicate must be checked before its actions, because it declares a variable that they use. */
bool check_predicate_first(struct checker *ck, const struct clause *c);

/* ---- check_assign.c ---- */
struct type *check_assign(struct checker *ck, struct node **np);
struct type *check_step(struct checker *ck, struct node **np);

/* ---- check_decl.c ---- */
/* What the script declares, used or not: variables' types, inlines, translators. */
void check_declared(struct checker *ck);
/* Some value of a type: a parameter, the member of a translation. */
struct node *check_placeholder(struct checker *ck, const char *name, struct type *t, struct loc loc);

/* ---- check_mem.c ---- */
struct type *check_member(struct checker *ck, struct node **np);
/* a.m where a is no structure (D_OP_SOU), a->m where it is no pointer (D_OP_PTR). NULL. */
struct type *check_not_sou(struct checker *ck, const struct node *n, const struct type *t);
struct type *check_not_pointer(struct checker *ck, const struct node *n, const struct type *t);
struct type *check_deref(struct checker *ck, struct node **np);
struct type *check_addr(struct checker *ck, struct node **np);
/* a[i] on a pointer or array in memory; a is checked already. */
struct type *check_element(struct checker *ck, struct node **np, struct node *a, struct node *i);
/* *np becomes a byte of the checked string s: the first, or that at the checked integer i. */
struct type *check_byte(struct checker *ck, struct node **np, struct node *s, struct node *i);
/* *np becomes the rest of the checked string s from the checked integer i on (minus: from -i); outside of it the empty
 * string. */
struct type *check_rest(struct checker *ck, struct node **np, struct node *s, struct node *i, bool minus);
/* A pointer to the checked string: into a global variable, else to a copy in scratch memory. */
struct node *check_string_pointer(struct checker *ck, struct node *s);

/* ---- check_xlate.c ---- */
/* True if it is fds[...] and the script has no variable of that name. */
bool check_is_fds(struct checker *ck, const struct node *n);
/* A copy of an unchecked tree, parameters replaced by values. NULL after D_LIMIT. */
struct node *check_clone(struct checker *ck, const struct node *n, unsigned nparams, const char *const *params,
			 struct node *const *values);
/* True if evaluating an unchecked tree has side effects. */
bool node_has_effect(const struct node *n);
/* Marks the variables into which pointers are kept, but for those that are followed at once. */
void check_escape(const struct node *n);
/* "x = xlate <struct t> (y)": one assignment per member. */
struct type *check_xlate_assign(struct checker *ck, struct node **np);
struct type *check_xlate(struct checker *ck, struct node **np);
/* Checks the members of a translator, once for all that use it. */
void check_translator(struct checker *ck, struct translator *x);
/* Checks that the translation n exists. */
bool check_translation(struct checker *ck, struct node *n);
/* If the member belongs to a translator, replaces it by its expression, checks that and returns true. */
bool check_translated(struct checker *ck, struct node **np, struct type **type);
struct type *check_inline(struct checker *ck, struct node **np, const struct inline_def *def);
/* Checks a definition once for all its uses. Returns false after a diagnostic. */
bool check_inline_def(struct checker *ck, const struct inline_def *def);
/* The inline that a name is, or a name with arguments; NULL: none. */
const struct inline_def *check_inline_named(struct checker *ck, const struct node *n);
/* Its expression, arguments put in, unchecked. */
struct node *check_inline_copy(struct checker *ck, const struct node *n, const struct inline_def *def);
struct type *check_inline_index(struct checker *ck, struct node **np, const struct inline_def *def);

/* ---- check_doubt.c ---- */
/* Warns of a checked comparison that can have one result only (D_CMP_FIXED), and of '=' in a condition
 * (D_PRED_ASSIGN). */
void check_comparison(struct checker *ck, const struct node *n);
/* A time in a variable that is too narrow for it only because of its first assignment: D_TIME_CUT. */
void check_time(struct checker *ck, const struct node *assign);
void check_condition(struct checker *ck, const struct node *n);

/* ---- check_call.c ---- */
struct type *check_call(struct checker *ck, struct node **np);
/* True if it is a call of an action; these have no value and must be statements. */
bool call_is_action(const struct node *n);
/* True if it is the name of an action. */
bool call_is_name(const char *name);
/* One that is no symbolic value either. */
bool call_is_void(const struct node *n);
/* One that can be a key: stack(), sym(). */
bool call_is_symbolic(const struct node *n);
/* True if it is an action or function of any kind. */
bool call_is_known(const struct node *n);
void check_action(struct checker *ck, struct node *call);

/* ---- check_print.c ---- */
void check_printf(struct checker *ck, struct node *call);
void check_printa(struct checker *ck, struct node *call);

/* ---- check_tracemem.c ---- */
void check_tracemem(struct checker *ck, struct node *call);

/* ---- check_spec.c ---- */
/* Checks that this may follow the previous actions of its clause. Returns false after a diagnostic. */
enum spec_kind { SPEC_K_RECORD, SPEC_K_AGG, SPEC_K_DESTRUCTIVE, SPEC_K_EXIT, SPEC_K_SPECULATE, SPEC_K_COMMIT, SPEC_K_DISCARD };
bool check_order(struct checker *ck, struct loc loc, enum spec_kind kind);

/* ---- check_typed.c ---- */
void check_typed(struct checker *ck, struct node *call);

/* ---- check_destruct.c ---- */
void check_freopen(struct checker *ck, struct node *call);
void check_setopt(struct checker *ck, struct node *call);
void check_nothing(struct checker *ck, struct node *call);
void check_number(struct checker *ck, struct node *call);
void check_refused(struct checker *ck, struct node *call);

/* ---- check_agg.c ---- */
void check_agg(struct checker *ck, struct stmt *s);
/* Checks the number of arguments. Returns false after D_PROTO_LEN. */
bool check_agg_takes(struct checker *ck, const struct agg_func *f, const struct node *call);
/* An argument that must be a whole aggregation: resolves it. The tags are the action's own. */
struct agg_desc *check_agg_arg(struct checker *ck, const struct node *call, struct node *arg, enum diag_tag no_agg,
			       enum diag_tag undefined);
const char *agg_text(struct checker *ck, const char *name);

/* ---- check_key.c ---- */
struct shape *check_shape(struct checker *ck, const void *owner, const char *name);
/* Adds the checked keys of one use. Returns false after a diagnostic with the tag `number` or `type`. */
bool check_keys(struct checker *ck, struct shape *sh, struct node *use, unsigned max, enum diag_tag number,
		enum diag_tag type);
/* At the end: writes the keys' types into variables and aggregations, and casts into their uses. */
void check_shapes(struct checker *ck);

/* ---- fold.c ---- */
/* Replaces a checked operation on constants by its value. False after D_DIV_ZERO. */
bool check_fold(struct checker *ck, struct node **np);
/* True if the node is the integer constant 0. */
static inline bool node_is_zero(const struct node *n) { return n->kind == N_INT && !n->value; }

#endif
