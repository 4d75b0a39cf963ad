/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * D's types on LP64 Linux: C's integers, strings, pointers, and structures from the kernel's BTF or the script. Types
 * are unique per context: equal scalar types are the same pointer.
 *
 * Ownership: the context's arena owns everything; types_close frees the BTF.
 * Errors: lookups of kernel types return NULL or false, with the reason in types.error.
 */
#ifndef LANG_TYPES_TYPES_H
#define LANG_TYPES_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "ir/value.h"

enum type_kind {
	T_VOID, T_INT, T_STRING, T_PTR, T_ARRAY, T_STRUCT, T_UNION, T_ENUM, T_FUNC,
	T_SYMBOLIC,		/* result of stack() and usym(): can be recorded and printed, but not computed with */
	T_DYN,			/* an aggregation or a translation: its use decides whether it has a value */
	T_TYPEDEF_UNUSED,	/* typedefs are resolved by lookups; `name` keeps their name */
};

struct type;

struct member {
	const char *name;		/* NULL: anonymous struct or union */
	struct type *type;		/* NULL: not found yet, it has the BTF ID `btf` (type_find.h) */
	uint64_t bitoff;		/* offset from the start of the structure */
	uint32_t bits;			/* bit-field width, 0 = not a bit-field */
	uint32_t btf;
	bool has_place;			/* BTF: bitoff and bits are final before the type is known */
};

struct type {
	enum type_kind kind;
	const char *name;		/* "int", "struct task_struct", "pid_t"; NULL: derived type */
	uint64_t size;			/* bytes; T_STRING: 0 = strsize, or the exact capacity (execname: 16) */
	bool is_signed;			/* T_INT, T_ENUM */
	bool is_bool;			/* T_INT: _Bool, whose values are 0 and 1 */
	struct type *ref;		/* T_PTR: target; T_ARRAY: element; T_INT with a typedef's name: the C type
					 * (NULL: this is one); T_FUNC: result */
	uint64_t nelems;		/* T_ARRAY */
	bool kernel;			/* values are in kernel memory (BTF); a T_PTR to them is read with kread */
	uint8_t symbolic;		/* T_SYMBOLIC: layout of the value, enum val_kind; `size`: its bytes */
	bool systems;			/* T_INT: predefined, but a script may redefine it */
	bool floating;			/* T_STRUCT: float, double, long double: can be printed, not computed with */
	bool user;			/* T_PTR: into the memory of the current process (`userland`) */
	uint32_t btf;			/* BTF ID; 0 = not from BTF */
	void *btf_in;			/* the BTF of that ID: the kernel's or a module's */
	struct member *members;		/* loaded on first use: type_members() */
	void *members_in;		/* the BTF of their IDs */
	unsigned nmembers;
	bool loaded;
	uint32_t align;			/* alignment of a structure, cached by type_align(); 0 = not computed yet */
};

struct types {
	struct arena *arena;
	void *btf;			/* lang/types/btf.c's data, opened on first use */
	const char *btf_path;		/* NULL: the running kernel's; tests set another file */
	const char *btf_dir;		/* directory of the modules' types; NULL: the kernel's */
	const char *btf_error;		/* the reason why BTF is not available, or NULL */
	bool own;			/* if so, use dtr's own description (rt/types.h) */
	bool own_used;			/* a type has come from there */
	const char *error;		/* the reason why a lookup failed, or NULL */
	struct map by_name;		/* names and typedefs already resolved */
	struct map by_btf;
	struct map derived;		/* pointers and arrays */
	/* frequently used types */
	struct type *t_void, *t_bool, *t_char, *t_schar, *t_uchar, *t_short, *t_ushort, *t_int, *t_uint, *t_long,
		*t_ulong,
		*t_llong, *t_ullong, *t_string;
};

void types_init(struct types *t, struct arena *a);

struct type *type_pointer(struct types *t, struct type *to);
/* A pointer into the memory of a process. */
struct type *type_pointer_user(struct types *t, struct type *to);
struct type *type_array(struct types *t, struct type *of, uint64_t n);
/* A string with exactly this capacity, including the NUL; 0 = strsize. */
struct type *type_string(struct types *t, uint64_t cap);
/* A symbolic value of this kind (enum val_kind) and size: "stack", "symaddr". */
struct type *type_symbolic(struct types *t, uint8_t kind, uint64_t size);
/* Like type_lookup, but only for built-in types and the script's: never opens the kernel's BTF. */
struct type *type_lookup_script(struct types *t, const char *name);
/* Registers a type of the script under a name. */
void type_define(struct types *t, const char *name, struct type *ty);

/* The number of times each word occurs in the name of an integer, such as "unsigned long int". NULL: no such type. */
struct type_words {
	uint8_t n_char, n_short, n_int, n_long, n_signed, n_unsigned;
};
struct type *type_words(struct types *t, const struct type_words *w);
/* The type of a typedef `name` of `is`: an integer gets the name, any other type is aliased. */
struct type *type_named(struct types *t, const char *name, struct type *is);
struct type *type_function(struct types *t, struct type *ret);
/* A type with size and alignment that D cannot compute with. */
struct type *type_floating(struct types *t, const char *name, uint64_t size);

static inline bool type_is_int(const struct type *t) { return t->kind == T_INT || t->kind == T_ENUM; }
static inline bool type_is_scalar(const struct type *t) { return type_is_int(t) || t->kind == T_PTR; }
static inline bool type_is_stack(const struct type *t)
{
	return t->kind == T_SYMBOLIC && (t->symbolic == VAL_STACK || t->symbolic == VAL_USTACK);
}
static inline bool type_is_string(const struct type *t) { return t->kind == T_STRING; }

/* True if values of one type can be used as the other without a cast: same kind, size and sign; pointers: same
 * target. */
bool type_same(const struct type *a, const struct type *b);

/* v as a value of the type: truncated to its width and sign- or zero-extended; for a bool, v != 0. */
uint64_t type_extend(const struct type *t, uint64_t v);
/* The largest value of an integer type. */
uint64_t type_max(const struct type *t);

/* C's integer promotion and usual arithmetic conversion (C11 6.3.1.1, 6.3.1.8) on LP64. */
struct type *type_promote(struct types *t, struct type *a);
/* The same for a bit-field of `bits` bits (0: not one): up to 32, the number of bits decides, not the declared type. */
struct type *type_promote_bits(struct types *t, struct type *a, unsigned bits);
struct type *type_usual(struct types *t, struct type *a, struct type *b);

/* Appends the type in C syntax: "struct task_struct *". */
void type_print(struct buf *out, const struct type *t);
/* Returns the same text, with "userland " before pointers into a process. */
const char *type_text(struct types *t, const struct type *ty);

#endif
