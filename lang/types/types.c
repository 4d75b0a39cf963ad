/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types that need no BTF: C's integers, the usual typedefs, and derived types. */
#include "lang/types/types.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* C's types, in the order of the members of struct types. */
enum base {
	B_VOID, B_BOOL, B_CHAR, B_SCHAR, B_UCHAR, B_SHORT, B_USHORT, B_INT, B_UINT, B_LONG, B_ULONG, B_LLONG, B_ULLONG,
	B_N
};

static const struct {
	const char *name;
	uint8_t size;
	bool is_signed;
} bases[B_N] = {
	[B_VOID] = { "void", 0, false },
	[B_BOOL] = { "_Bool", 1, false },
	[B_CHAR] = { "char", 1, true },
	[B_SCHAR] = { "signed char", 1, true },
	[B_UCHAR] = { "unsigned char", 1, false },
	[B_SHORT] = { "short", 2, true },
	[B_USHORT] = { "unsigned short", 2, false },
	[B_INT] = { "int", 4, true },
	[B_UINT] = { "unsigned int", 4, false },
	[B_LONG] = { "long", 8, true },
	[B_ULONG] = { "unsigned long", 8, false },
	[B_LLONG] = { "long long", 8, true },
	[B_ULLONG] = { "unsigned long long", 8, false },
};

struct typedef_name {
	const char *name;
	enum base base;
};

/* Names that need no BTF, with the sizes of the kernel's types. */
static const struct typedef_name typedefs[] = {
	{ "int8_t", B_SCHAR }, { "int16_t", B_SHORT }, { "int32_t", B_INT }, { "int64_t", B_LONG },
	{ "uint8_t", B_UCHAR }, { "uint16_t", B_USHORT }, { "uint32_t", B_UINT }, { "uint64_t", B_ULONG },
	{ "s8", B_SCHAR }, { "s16", B_SHORT }, { "s32", B_INT }, { "s64", B_LLONG },
	{ "u8", B_UCHAR }, { "u16", B_USHORT }, { "u32", B_UINT }, { "u64", B_ULLONG },
	{ "__s8", B_SCHAR }, { "__s16", B_SHORT }, { "__s32", B_INT }, { "__s64", B_LLONG },
	{ "__u8", B_UCHAR }, { "__u16", B_USHORT }, { "__u32", B_UINT }, { "__u64", B_ULLONG },
	{ "uchar_t", B_UCHAR }, { "ushort_t", B_USHORT }, { "uint_t", B_UINT }, { "ulong_t", B_ULONG },
	{ "longlong_t", B_LLONG }, { "u_longlong_t", B_ULLONG }, { "boolean_t", B_INT },
	{ "uchar", B_UCHAR }, { "ushort", B_USHORT }, { "uint", B_UINT }, { "ulong", B_ULONG },
	{ "u_char", B_UCHAR }, { "u_short", B_USHORT }, { "u_int", B_UINT }, { "u_long", B_ULONG },
	{ "size_t", B_ULONG }, { "ssize_t", B_LONG }, { "off_t", B_LONG }, { "loff_t", B_LLONG },
	{ "ptrdiff_t", B_LONG },
	{ "intptr_t", B_LONG }, { "uintptr_t", B_ULONG }, { "intmax_t", B_LONG }, { "uintmax_t", B_ULONG },
	{ "processorid_t", B_INT }, { "psetid_t", B_INT }, { "zoneid_t", B_INT }, { "projid_t", B_INT },
	{ "taskid_t", B_INT }, { "poolid_t", B_INT },
};

/* Likewise, but a script, or a header that it includes, may redefine these. */
static const struct typedef_name systems[] = {
	{ "time_t", B_LONG }, { "clock_t", B_LONG }, { "hrtime_t", B_LLONG }, { "useconds_t", B_UINT },
	{ "suseconds_t", B_LONG }, { "pid_t", B_INT }, { "id_t", B_INT }, { "lwpid_t", B_INT }, { "uid_t", B_UINT },
	{ "gid_t", B_UINT }, { "dev_t", B_UINT }, { "mode_t", B_UINT }, { "nlink_t", B_UINT }, { "ino_t", B_ULONG },
	{ "blkcnt_t", B_LONG }, { "blksize_t", B_LONG }, { "key_t", B_INT }, { "wchar_t", B_INT },
	{ "bool", B_BOOL },
};

static struct type *type_new(struct types *t, enum type_kind kind, const char *name, uint64_t size)
{
	struct type *ty = arena_alloc(t->arena, sizeof *ty);

	ty->kind = kind;
	ty->name = name;
	ty->size = size;
	ty->loaded = true;
	return ty;
}

void types_init(struct types *t, struct arena *a)
{
	struct type **slot[B_N] = {
		&t->t_void, &t->t_bool, &t->t_char, &t->t_schar, &t->t_uchar, &t->t_short, &t->t_ushort,
		&t->t_int, &t->t_uint, &t->t_long, &t->t_ulong, &t->t_llong, &t->t_ullong,
	};

	memset(t, 0, sizeof *t);
	t->arena = a;
	map_init(&t->by_name, a);
	map_init(&t->by_btf, a);
	map_init(&t->derived, a);
	for (int i = 0; i < B_N; i++) {
		*slot[i] = type_new(t, i == B_VOID ? T_VOID : T_INT, bases[i].name, bases[i].size);
		(*slot[i])->is_signed = bases[i].is_signed;
		map_sets(&t->by_name, bases[i].name, *slot[i]);
	}
	t->t_bool->is_bool = true;
	t->t_string = type_new(t, T_STRING, "string", 0);
	map_sets(&t->by_name, "string", t->t_string);
}

/* ---- derived types: equal types share one object ---- */

struct derived_key {
	uint64_t kind, n;
	const struct type *ref;
};

static struct type *type_derived(struct types *t, enum type_kind kind, struct type *ref, uint64_t n, uint64_t size)
{
	struct derived_key key = { .kind = kind, .n = n, .ref = ref };
	void **slot = map_put(&t->derived, &key, sizeof key);
	struct type *ty;

	if (*slot)
		return *slot;
	ty = type_new(t, kind, NULL, size);
	ty->ref = ref;
	ty->kernel = ref && ref->kernel;
	ty->nelems = kind == T_ARRAY ? n : 0;
	*slot = ty;
	return ty;
}

struct type *type_pointer(struct types *t, struct type *to)
{
	return type_derived(t, T_PTR, to, 0, 8);
}

struct type *type_pointer_user(struct types *t, struct type *to)
{
	struct type *ty = type_derived(t, T_PTR, to, 1, 8);

	ty->user = true;
	return ty;
}

struct type *type_array(struct types *t, struct type *of, uint64_t n)
{
	uint64_t size;

	if (__builtin_mul_overflow(of->size, n, &size))
		size = UINT64_MAX;
	return type_derived(t, T_ARRAY, of, n, size);
}

struct type *type_function(struct types *t, struct type *ret)
{
	return type_derived(t, T_FUNC, ret, 0, 0);
}

struct type *type_floating(struct types *t, const char *name, uint64_t size)
{
	struct type *ty = map_gets(&t->by_name, name);

	if (ty)
		return ty;
	ty = type_new(t, T_STRUCT, name, size);
	ty->floating = true;
	ty->align = size;
	map_sets(&t->by_name, name, ty);
	return ty;
}

struct type *type_string(struct types *t, uint64_t cap)
{
	struct type *ty;

	if (!cap)
		return t->t_string;
	ty = type_derived(t, T_STRING, NULL, cap, cap);
	ty->name = "string";
	return ty;
}

struct type *type_symbolic(struct types *t, uint8_t kind, uint64_t size)
{
	struct type *ty = type_derived(t, T_SYMBOLIC, NULL, (uint64_t)kind << 32 | size, size);

	ty->symbolic = kind;
	ty->name = val_is_cgroup(kind) ? "cgroup" :
		   kind == VAL_STACK ? "stack" : kind == VAL_USTACK ? "ustack" : kind == VAL_SYM ||
		kind == VAL_MOD ? "_symaddr" :
		   "_usymaddr";
	return ty;
}

/* ---- names ---- */

/* A typedef of an integer is a separate type with its own name; any other typedef is an alias. */
struct type *type_named(struct types *t, const char *name, struct type *is)
{
	struct type *ty;

	if (is->kind != T_INT)
		return is;
	ty = type_new(t, T_INT, name, is->size);
	ty->is_signed = is->is_signed;
	ty->ref = is->ref ? is->ref : is;
	ty->is_bool = is->is_bool;
	return ty;
}

struct type *type_words(struct types *t, const struct type_words *w)
{
	unsigned n = w->n_char + w->n_short + !!w->n_long;
	bool both = w->n_signed && w->n_unsigned;

	if (both || n > 1 || w->n_long > 2 || w->n_int > 1 || w->n_signed > 1 || w->n_unsigned > 1 || w->n_short > 1 ||
	    (w->n_char && w->n_int))
		return NULL;
	if (w->n_char)
		return w->n_unsigned ? t->t_uchar : w->n_signed ? t->t_schar : t->t_char;
	if (w->n_short)
		return w->n_unsigned ? t->t_ushort : t->t_short;
	if (w->n_long == 2)
		return w->n_unsigned ? t->t_ullong : t->t_llong;
	if (w->n_long)
		return w->n_unsigned ? t->t_ulong : t->t_long;
	return w->n_unsigned ? t->t_uint : t->t_int;
}

/* "long unsigned int", in any order of words. NULL if a word is not one of C's. */
static struct type *lookup_words(struct types *t, const char *name)
{
	struct type_words w = { 0 };
	const struct { const char *word; uint8_t *count; } words[] = {
		{ "int", &w.n_int }, { "long", &w.n_long }, { "unsigned", &w.n_unsigned }, { "short", &w.n_short },
		{ "char", &w.n_char }, { "signed", &w.n_signed },
	};
	unsigned total = 0;

	while (*name) {
		size_t len = strcspn(name, " \t"), i;

		for (i = 0; len && i < sizeof words / sizeof *words; i++)
			if (strlen(words[i].word) == len && !memcmp(words[i].word, name, len))
				break;
		if (len && (i == sizeof words / sizeof *words || ++total > 5))
			return NULL;
		if (len)
			++*words[i].count;
		name += len + (name[len] != 0);
	}
	return total ? type_words(t, &w) : NULL;
}

static struct type *lookup_name(struct types *t, const struct typedef_name *names, size_t n, const char *name)
{
	const struct type *const base[B_N] = {
		t->t_void, t->t_bool, t->t_char, t->t_schar, t->t_uchar, t->t_short, t->t_ushort,
		t->t_int, t->t_uint, t->t_long, t->t_ulong, t->t_llong, t->t_ullong,
	};

	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i].name, name))
			return type_named(t, names[i].name, (struct type *)base[names[i].base]);
	return NULL;
}

static struct type *lookup_typedef(struct types *t, const char *name)
{
	struct type *ty = lookup_name(t, typedefs, sizeof typedefs / sizeof *typedefs, name);

	if (ty)
		return ty;
	ty = lookup_name(t, systems, sizeof systems / sizeof *systems, name);
	if (ty)
		ty->systems = true;
	return !ty && !strcmp(name, "caddr_t") ? type_pointer(t, t->t_char) : ty;
}

struct type *type_lookup_script(struct types *t, const char *name)
{
	struct type *ty = map_gets(&t->by_name, name);

	if (ty)
		return ty;
	ty = lookup_typedef(t, name);
	if (!ty)
		ty = lookup_words(t, name);
	if (ty)
		map_sets(&t->by_name, name, ty);
	return ty;
}

void type_define(struct types *t, const char *name, struct type *ty)
{
	map_sets(&t->by_name, name, ty);
}

/* ---- arithmetic ---- */

bool type_same(const struct type *a, const struct type *b)
{
	while (a != b && a->kind == b->kind && (a->kind == T_PTR || (a->kind == T_ARRAY && a->nelems == b->nelems)))
		a = a->ref, b = b->ref;
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	/* structures and enums are the same only if they are the same object */
	return (a->kind == T_INT || a->kind == T_STRING) && a->size == b->size && a->is_signed == b->is_signed &&
	       a->is_bool == b->is_bool;
}

uint64_t type_extend(const struct type *t, uint64_t v)
{
	unsigned shift = t->size && t->size < 8 ? 64 - 8 * (unsigned)t->size : 0;

	if (t->is_bool)
		return v != 0;
	if (type_is_int(t) && t->is_signed)
		return (uint64_t)((int64_t)(v << shift) >> shift);
	return v << shift >> shift;
}

uint64_t type_max(const struct type *t)
{
	return t->is_bool ? 1 : UINT64_MAX >> (64 - 8 * t->size + t->is_signed);
}

struct type *type_promote(struct types *t, struct type *a)
{
	struct type *base = a->kind == T_INT && a->ref ? a->ref : a;

	if (!type_is_int(a))
		return a;
	if (a->size < 4)
		return t->t_int;
	if (a->size == 4)
		return a->is_signed ? t->t_int : t->t_uint;
	if (base == t->t_llong || base == t->t_ullong)
		return base;
	return a->is_signed ? t->t_long : t->t_ulong;
}

struct type *type_promote_bits(struct types *t, struct type *a, unsigned bits)
{
	if (!bits || bits > 32 || !type_is_int(a))
		return type_promote(t, a);
	return bits == 32 && !a->is_signed ? t->t_uint : t->t_int;
}

struct type *type_usual(struct types *t, struct type *a, struct type *b)
{
	struct type *const order[] = { t->t_int, t->t_uint, t->t_long, t->t_ulong, t->t_llong, t->t_ullong };
	unsigned ra = 0, rb = 0;

	a = type_promote(t, a);
	b = type_promote(t, b);
	for (unsigned i = 0; i < 6; i++) {
		ra = order[i] == a ? i : ra;
		rb = order[i] == b ? i : rb;
	}
	/* Of equal width, an unsigned operand of lower rank makes the higher-ranked signed type unsigned. */
	if (a->size == b->size && a->is_signed != b->is_signed)
		return order[(ra > rb ? ra : rb) | 1];
	return ra > rb ? a : b;
}
