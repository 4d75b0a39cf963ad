/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations in C's syntax: specifiers, declarators, structures, enums, and the variables, typedefs, inlines and
 * translators that they declare. Called from the grammar's actions.
 *
 * Ownership: the compile arena. Errors: diagnostics; the type is then `int`.
 */
#ifndef LANG_SYNTAX_DECL_H
#define LANG_SYNTAX_DECL_H

#include "lang/syntax/node.h"

/* The words before a declarator: "unsigned long", "struct foo", "pid_t". */
enum decl_word { W_CHAR, W_SHORT, W_INT, W_LONG, W_SIGNED, W_UNSIGNED, W_VOID, W_STRING, W_FLOAT, W_DOUBLE, W_QUALIFIER,
	W_USERLAND };

enum storage { STORE_GLOBAL, STORE_THIS, STORE_SELF, STORE_TYPEDEF, STORE_EXTERN, STORE_STATIC, STORE_AUTO,
	STORE_REGISTER };

struct decl_specs {
	struct type_words words;
	unsigned nwords;
	struct type *named;	/* void, string, a structure, a typedef's name */
	bool user;		/* userland: pointers point into a process */
	bool bad;		/* already reported */
	enum storage storage;
	struct loc loc;
};

struct decl_specs *specs_new(struct parser *p, struct loc loc);
struct decl_specs *specs_word(struct parser *p, struct decl_specs *s, enum decl_word w, struct loc loc);
struct decl_specs *specs_named(struct parser *p, struct decl_specs *s, struct type *t, struct loc loc);
struct type *specs_type(struct parser *p, struct decl_specs *s);
/* Finds a type by name. Returns "int" after D_UNKNOWN or D_KTYPE. */
struct type *decl_lookup(struct parser *p, const char *name, struct loc loc);

/* Modifiers of a declared name, outermost first: `*x[3]` is pointer, array. */
enum dmod_kind { DM_PTR, DM_ARRAY, DM_KEYS, DM_FUNC };

struct dmod {
	enum dmod_kind kind;
	struct dmod *next;
	uint64_t n;			/* DM_ARRAY */
	bool open;			/* DM_ARRAY: [] */
	struct types_list *keys;	/* DM_KEYS */
	struct loc loc;
};

struct types_list {
	struct type **v;
	size_t n, cap;
	VEC(const char *) names;
	struct map seen;	/* the names, after the list was checked */
	bool bad;
};

struct declr {
	const char *name;		/* NULL: abstract declarator */
	struct loc loc;
	struct dmod *mods;
	struct node *bits;		/* bit-field width or NULL */
};

struct declrs {
	struct declr **v;
	size_t n, cap;
};

struct declrs *declrs_add(struct parser *p, struct declrs *l, struct declr *d);
struct declr *declr_new(struct parser *p, const char *name, struct loc loc);
struct declr *declr_mod(struct parser *p, struct declr *d, enum dmod_kind kind, struct loc loc);
struct declr *declr_array(struct parser *p, struct declr *d, struct node *size, struct loc loc);
struct declr *declr_keys(struct parser *p, struct declr *d, struct types_list *keys, struct loc loc);
/* Reports "`x" as a declared name. */
struct declr *declr_scoped(struct parser *p, const char *name, struct loc loc);
/* Reports a second storage class: "static self". */
void storage_again(struct parser *p, struct loc loc);

/* Parameters of a function or a probe, or keys of an array: types with optional names (or NULL). */
enum params_of { PARAMS_FUNCTION, PARAMS_ARRAY, PARAMS_PROBE };

struct types_list *types_new(struct parser *p);
struct types_list *params_add(struct parser *p, struct types_list *l, struct decl_specs *s, const struct declr *d);
/* Checks a list and returns it. Errors are reported, and the list is marked `bad`. */
struct types_list *params_check(struct parser *p, struct types_list *l, enum params_of of, struct loc loc);
/* Reports "..." where it is not allowed. */
void params_varargs(struct parser *p, struct loc loc);
/* Reports a parameter with a storage class, at `loc`. */
struct decl_specs *param_stored(struct parser *p, struct decl_specs *s, struct loc loc);
/* The declared type. *keys gets the keys of an associative array; NULL: none allowed. d may be NULL. */
struct type *declr_type(struct parser *p, struct decl_specs *s, const struct declr *d, struct types_list **keys);

#endif
