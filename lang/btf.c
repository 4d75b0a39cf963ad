/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel types. The BTF is opened when the first kernel type is named and a type is converted when it is met;
 * members wait until somebody asks for one, so a script pays for the few structures that it walks through.
 */
#include "lang/btf.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

enum {
	/* Looking a name up walks all types (about a millisecond). Who asks often gets an index instead. */
	SCANS_BEFORE_INDEX = 16,
	BTF_MAXDEPTH = 64,	/* references behind references; what is deeper is void */
};

struct kernel_btf {
	struct btf *btf;
	unsigned depth;		/* of the references that are being followed */
	unsigned scans;
	uint32_t *slots;	/* type ids by hash of kind and name, 0 = free */
	size_t nslots;		/* a power of two */
};

static struct type *btf_type(struct types *t, uint32_t id);

/* ---- opening ---- */

static const char *open_error(struct types *t, long err)
{
	if (t->btf_path)
		return arena_printf(t->arena, "cannot read type information from %s: %s", t->btf_path, strerror(-err));
	if (err == -ENOENT || err == -ESRCH)
		return "this kernel offers no type information (/sys/kernel/btf/vmlinux)";
	return arena_printf(t->arena, "cannot read the kernel's type information (/sys/kernel/btf/vmlinux): %s",
			    strerror(-err));
}

static struct kernel_btf *btf_open(struct types *t)
{
	struct kernel_btf *k = t->btf;
	libbpf_print_fn_t print;

	if (!k) {
		k = t->btf = arena_alloc(t->arena, sizeof *k);
		print = libbpf_set_print(NULL);
		k->btf = t->btf_path ? btf__parse(t->btf_path, NULL) : btf__load_vmlinux_btf();
		libbpf_set_print(print);
		if (libbpf_get_error(k->btf)) {
			t->btf_error = open_error(t, libbpf_get_error(k->btf));
			k->btf = NULL;
		}
	}
	t->error = t->btf_error;
	return k->btf ? k : NULL;
}

void btf_close(struct types *t)
{
	struct kernel_btf *k = t->btf;

	if (k)
		btf__free(k->btf);
	t->btf = NULL;
	t->btf_error = NULL;
}

/* ---- finding ---- */

/* Kinds that share a name space: struct x, union x, enum x, and plain names. */
static int name_space(uint32_t kind)
{
	static const uint8_t spaces[NR_BTF_KINDS] = {
		[BTF_KIND_STRUCT] = 's', [BTF_KIND_UNION] = 'u', [BTF_KIND_ENUM] = 'e', [BTF_KIND_ENUM64] = 'e',
		[BTF_KIND_TYPEDEF] = 't', [BTF_KIND_INT] = 't', [BTF_KIND_FLOAT] = 't',
	};

	return kind < NR_BTF_KINDS ? spaces[kind] : 0;
}

/* Never NULL: libbpf checks where types end, not what they say. */
static const char *name_at(const struct btf *btf, uint32_t off)
{
	const char *name = btf__name_by_offset(btf, off);

	return name ? name : "";
}

static bool is_named(const struct btf *btf, uint32_t id, int space, const char *name)
{
	const struct btf_type *bt = btf__type_by_id(btf, id);

	return name_space(btf_kind(bt)) == space && !strcmp(name_at(btf, bt->name_off), name);
}

static size_t slot_of(const struct kernel_btf *k, int space, const char *name)
{
	return (hash_bytes(name, strlen(name)) ^ (size_t)space * 0x9e3779b9u) & (k->nslots - 1);
}

static void index_build(struct types *t, struct kernel_btf *k)
{
	uint32_t n = btf__type_cnt(k->btf);

	for (k->nslots = 1024; k->nslots < 2ull * n; k->nslots *= 2)
		;
	k->slots = arena_calloc(t->arena, k->nslots, sizeof *k->slots);
	for (uint32_t id = 1; id < n; id++) {
		const struct btf_type *bt = btf__type_by_id(k->btf, id);
		int space = name_space(btf_kind(bt));
		size_t s;

		if (!space || !bt->name_off)
			continue;
		s = slot_of(k, space, name_at(k->btf, bt->name_off));
		while (k->slots[s])
			s = (s + 1) & (k->nslots - 1);
		k->slots[s] = id;
	}
}

static uint32_t id_find(struct types *t, struct kernel_btf *k, int space, const char *name)
{
	if (!k->slots && ++k->scans > SCANS_BEFORE_INDEX)
		index_build(t, k);
	if (!k->slots) {
		uint32_t n = btf__type_cnt(k->btf);

		for (uint32_t id = 1; id < n; id++)
			if (is_named(k->btf, id, space, name))
				return id;
		return 0;
	}
	for (size_t s = slot_of(k, space, name); k->slots[s]; s = (s + 1) & (k->nslots - 1))
		if (is_named(k->btf, k->slots[s], space, name))
			return k->slots[s];
	return 0;
}

struct type *btf_lookup(struct types *t, const char *name)
{
	static const struct { const char *prefix; int space; } tags[] = {
		{ "struct ", 's' }, { "union ", 'u' }, { "enum ", 'e' }, { "", 't' },
	};
	struct kernel_btf *k = btf_open(t);
	uint32_t id = 0;

	for (size_t i = 0; k && i < sizeof tags / sizeof *tags; i++) {
		size_t n = strlen(tags[i].prefix);

		if (!strncmp(name, tags[i].prefix, n)) {
			id = name[n] ? id_find(t, k, tags[i].space, name + n) : 0;
			break;
		}
	}
	return id ? btf_type(t, id) : NULL;
}

/* ---- converting, one function a kind ---- */

typedef struct type *(*convert_fn)(struct types *t, const struct btf_type *bt, const char *name);

static struct type *made(struct types *t, enum type_kind kind, const char *name, uint64_t size)
{
	struct type *ty = arena_alloc(t->arena, sizeof *ty);

	ty->kind = kind;
	ty->size = size;
	ty->name = name;
	ty->loaded = true;
	return ty;
}

/* Something with a size that D cannot compute with: a structure without members. */
static struct type *conv_opaque(struct types *t, const struct btf_type *bt, const char *name)
{
	struct type *ty = made(t, T_STRUCT, name, bt->size);

	ty->kernel = true;
	return ty;
}

static bool is_word(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static struct type *conv_int(struct types *t, const struct btf_type *bt, const char *name)
{
	struct type *ty = type_lookup_script(t, name);

	if (ty && ty->kind == T_INT && ty->size == bt->size)
		return ty;
	if (!is_word(bt->size))
		return conv_opaque(t, bt, name);
	ty = made(t, T_INT, name, bt->size);
	ty->is_signed = btf_int_encoding(bt) & BTF_INT_SIGNED;
	return ty;
}

static struct type *conv_ptr(struct types *t, const struct btf_type *bt, const char *name)
{
	(void)name;
	return type_pointer(t, btf_type(t, bt->type));
}

static struct type *conv_array(struct types *t, const struct btf_type *bt, const char *name)
{
	(void)name;
	return type_array(t, btf_type(t, btf_array(bt)->type), btf_array(bt)->nelems);
}

static const char *tagged(struct types *t, const char *tag, const char *name)
{
	return *name ? arena_printf(t->arena, "%s %s", tag, name) : NULL;
}

static struct type *conv_struct(struct types *t, const struct btf_type *bt, const char *name)
{
	bool is_union = btf_is_union(bt);
	struct type *ty = made(t, is_union ? T_UNION : T_STRUCT, tagged(t, is_union ? "union" : "struct", name), bt->size);

	ty->kernel = true;
	ty->loaded = false;
	return ty;
}

static struct type *conv_fwd(struct types *t, const struct btf_type *bt, const char *name)
{
	bool is_union = btf_kflag(bt);
	struct type *ty = made(t, is_union ? T_UNION : T_STRUCT, tagged(t, is_union ? "union" : "struct", name), 0);

	ty->kernel = true;
	ty->loaded = false;
	return ty;
}

static struct type *conv_enum(struct types *t, const struct btf_type *bt, const char *name)
{
	struct type *ty;

	if (!is_word(bt->size))
		return conv_opaque(t, bt, name);
	ty = made(t, T_ENUM, tagged(t, "enum", name), bt->size);
	ty->is_signed = btf_kflag(bt);
	return ty;
}

static struct type *conv_typedef(struct types *t, const struct btf_type *bt, const char *name)
{
	struct type *ty = btf_type(t, bt->type);

	if (!ty->name && (ty->kind == T_STRUCT || ty->kind == T_UNION || ty->kind == T_ENUM))
		ty->name = name;	/* typedef struct { ... } atomic_t: the only name it has */
	return type_named(t, name, ty);
}

static struct type *conv_ref(struct types *t, const struct btf_type *bt, const char *name)
{
	(void)name;
	return btf_type(t, bt->type);
}

static struct type *conv_func(struct types *t, const struct btf_type *bt, const char *name)
{
	(void)name;
	return type_function(t, btf_type(t, bt->type));
}

static const convert_fn converters[NR_BTF_KINDS] = {
	[BTF_KIND_INT] = conv_int, [BTF_KIND_PTR] = conv_ptr, [BTF_KIND_ARRAY] = conv_array,
	[BTF_KIND_STRUCT] = conv_struct, [BTF_KIND_UNION] = conv_struct, [BTF_KIND_ENUM] = conv_enum,
	[BTF_KIND_ENUM64] = conv_enum, [BTF_KIND_FWD] = conv_fwd, [BTF_KIND_TYPEDEF] = conv_typedef,
	[BTF_KIND_VOLATILE] = conv_ref, [BTF_KIND_CONST] = conv_ref, [BTF_KIND_RESTRICT] = conv_ref,
	[BTF_KIND_TYPE_TAG] = conv_ref, [BTF_KIND_DECL_TAG] = conv_ref, [BTF_KIND_FUNC] = conv_ref,
	[BTF_KIND_FUNC_PROTO] = conv_func, [BTF_KIND_FLOAT] = conv_opaque,
};

/* Structures are entered without their members, so only chains of references recurse. Honest ones are short and end;
 * a type that leads back to itself is void there. */
static struct type *btf_type(struct types *t, uint32_t id)
{
	struct kernel_btf *k = t->btf;
	const struct btf_type *bt = btf__type_by_id(k->btf, id);
	void **known = map_find(&t->by_btf, &id, sizeof id);
	uint32_t kind = bt ? btf_kind(bt) : BTF_KIND_UNKN;
	struct type *ty = t->t_void;

	if (known)
		return *known;
	if (k->depth == BTF_MAXDEPTH)
		return ty;
	*map_put(&t->by_btf, &id, sizeof id) = ty;
	k->depth++;
	if (id != 0 && kind < NR_BTF_KINDS && converters[kind])
		ty = converters[kind](t, bt, arena_strdup(t->arena, name_at(k->btf, bt->name_off)));
	k->depth--;
	if (!ty->btf && (!ty->loaded || ty->kind == T_ENUM))
		ty->btf = id;
	*map_put(&t->by_btf, &id, sizeof id) = ty;
	return ty;
}

/* ---- members ---- */

/* Where a bit-field lies and how wide it is; before kind_flag both were told by its integer type. */
static void member_place(struct types *t, const struct btf_type *bt, uint32_t i, struct member *m)
{
	const struct btf_member *bm = &btf_members(bt)[i];
	struct kernel_btf *k = t->btf;
	const struct btf_type *mt;

	m->bitoff = btf_member_bit_offset(bt, i);
	m->bits = btf_member_bitfield_size(bt, i);
	mt = btf__type_by_id(k->btf, bm->type);
	if (btf_kflag(bt) || !mt || !btf_is_int(mt) || btf_int_bits(mt) == mt->size * 8)
		return;
	m->bits = btf_int_bits(mt);
	m->bitoff += btf_int_offset(mt);
}

/* A bit-field must fit into its integer. */
static bool member_fits(const struct member *m)
{
	return !m->bits || (type_is_int(m->type) && m->bits <= m->type->size * 8);
}

/* The definition of a structure that is only declared where it was met. */
static const struct btf_type *definition(struct types *t, const struct type *s)
{
	struct kernel_btf *k = t->btf;
	const struct btf_type *bt = btf__type_by_id(k->btf, s->btf);
	uint32_t id;

	if (!bt || !btf_is_fwd(bt))
		return bt;
	id = id_find(t, k, s->kind == T_UNION ? 'u' : 's', name_at(k->btf, bt->name_off));
	return id ? btf__type_by_id(k->btf, id) : NULL;
}

bool btf_members_load(struct types *t, struct type *s)
{
	const struct btf_type *bt = t->btf ? definition(t, s) : NULL;
	struct kernel_btf *k = t->btf;
	uint16_t n;

	if (!bt)
		return false;
	n = btf_vlen(bt);
	s->members = arena_calloc(t->arena, n ? n : 1, sizeof *s->members);
	for (uint16_t i = 0; i < n; i++) {
		const struct btf_member *bm = &btf_members(bt)[i];
		const char *name = name_at(k->btf, bm->name_off);

		s->members[i].name = *name ? arena_strdup(t->arena, name) : NULL;
		s->members[i].type = btf_type(t, bm->type);
		member_place(t, bt, i, &s->members[i]);
		if (!member_fits(&s->members[i]))
			s->members[i].type = t->t_void;
	}
	s->size = bt->size;
	s->nmembers = n;
	s->loaded = true;
	return true;
}
