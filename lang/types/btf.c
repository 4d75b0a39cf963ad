/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel types. The BTF is opened when a script first names a kernel type. A type is converted on first use and its
 * members when one of them is first needed, so a script pays only for the structures that it uses.
 */
#include "lang/types/btf.h"

#include <bpf/btf.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/btf_data.h"
#include "rt/types.h"

enum {
	BTF_MAXDEPTH = 64,	/* nesting of references; a deeper type becomes void */
};

/* The types of the kernel, or those of a module, which refer to the kernel's. */
struct kernel_btf {
	struct kernel_btf *next;	/* modules, in the order in which they were opened */
	const char *module;		/* NULL: the kernel itself */
	struct btf_data data;
	bool open;
	bool own;			/* dtr's own description (rt/types.h) */
	unsigned depth;			/* of the references being followed */
};

static struct type *btf_type(struct types *t, struct kernel_btf *k, uint32_t id);

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

static void own_open(struct kernel_btf *k)
{
	size_t n;
	const uint8_t *bytes = rt_types(&n);

	k->own = k->open = !btf_data_static(&k->data, bytes, n);
}

/* t->error is set, too, if dtr's own description has been opened, until a type is found there. */
static struct kernel_btf *btf_open(struct types *t)
{
	struct kernel_btf *k = t->btf;
	int err;

	if (!k) {
		k = t->btf = arena_alloc(t->arena, sizeof *k);
		err = btf_data_open(&k->data, t->btf_path ? t->btf_path : "/sys/kernel/btf/vmlinux", NULL);
		k->open = !err;
		if (err)
			t->btf_error = open_error(t, err);
		if (err && t->own)
			own_open(k);
	}
	t->error = t->btf_error;
	return k->open ? k : NULL;
}

const char *btf_lack(const struct types *t)
{
	const struct kernel_btf *k = t->btf;

	return k && k->own ? t->btf_error : NULL;
}

void btf_close(struct types *t)
{
	struct kernel_btf *next;

	for (struct kernel_btf *k = t->btf; k; k = next) {
		next = k->next;
		btf_data_close(&k->data);
	}
	t->btf = NULL;
	t->btf_error = NULL;
}

/* ---- modules ---- */
static const char *module_dir(const struct types *t)
{
	return t->btf_dir ? t->btf_dir : "/sys/kernel/btf";
}

/* Opens the types of a module. NULL: not loaded, no types, or its types do not match the kernel's. */
static struct kernel_btf *module_open(struct types *t, struct kernel_btf *base, const char *module)
{
	struct kernel_btf **at = &base->next, *k;

	if (base->own)
		return NULL;
	for (; *at; at = &(*at)->next)
		if (!strcmp((*at)->module, module))
			return (*at)->open ? *at : NULL;
	*at = k = arena_alloc(t->arena, sizeof *k);
	k->module = arena_strdup(t->arena, module);
	k->open = !btf_data_open(&k->data, arena_printf(t->arena, "%s/%s", module_dir(t), module), &base->data);
	return k->open ? k : NULL;
}

/* True if it can be the name of a module; "vmlinux" is the kernel itself. */
static bool is_module(const char *name)
{
	return name[0] != '.' && strcmp(name, "vmlinux") && !strchr(name, '/');
}

/* Searches all modules; the first match in alphabetical order wins. */
static struct kernel_btf *modules_find(struct types *t, struct kernel_btf *base, enum btf_space space, const char *name,
				       uint32_t *id)
{
	struct kernel_btf *found = NULL;
	struct dirent **list;
	int n = scandir(module_dir(t), &list, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		bool wanted = !found && is_module(list[i]->d_name);
		struct kernel_btf *k = wanted ? module_open(t, base, list[i]->d_name) : NULL;

		if (k && (*id = btf_data_find(&k->data, space, name)))
			found = k;
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return found;
}

/* Searches the named module, or the kernel if `module` is NULL. */
static struct kernel_btf *find_in_module(struct types *t, const char *module, enum btf_space space, const char *name,
					 uint32_t *id)
{
	struct kernel_btf *base = btf_open(t), *k = base;

	*id = 0;
	if (!base || !*name)
		return NULL;
	if (module && strcmp(module, "vmlinux"))
		k = is_module(module) ? module_open(t, base, module) : NULL;
	if (k)
		*id = btf_data_find(&k->data, space, name);
	if (!*id && base->data.broken)
		t->error = open_error(t, -EINVAL);
	if (*id && base->own) {
		t->error = NULL;
		t->own_used = true;
	}
	return *id ? k : NULL;
}

/* "struct mod`x" in parts. */
struct btf_query {
	const char *module;	/* or NULL */
	enum btf_space space;
	const char *name;
};

static struct btf_query query_of(struct types *t, const char *name)
{
	static const struct { const char *prefix; enum btf_space space; } tags[] = {
		{ "struct ", BTF_STRUCT }, { "union ", BTF_UNION }, { "enum ", BTF_ENUM }, { "", BTF_PLAIN },
	};
	struct btf_query q = { 0 };
	const char *tick;
	size_t i = 0;

	while (strncmp(name, tags[i].prefix, strlen(tags[i].prefix)))
		i++;
	name += strlen(tags[i].prefix);
	tick = strchr(name, '`');
	if (tick && tick > name)
		q.module = arena_strndup(t->arena, name, tick - name);
	q.name = tick ? tick + 1 : name;
	q.space = tags[i].space;
	return q;
}

struct type *btf_lookup(struct types *t, const char *name)
{
	const struct btf_query q = query_of(t, name);
	uint32_t id;
	struct kernel_btf *k = find_in_module(t, q.module, q.space, q.name, &id);

	return k ? btf_type(t, k, id) : NULL;
}

struct type *btf_lookup_modules(struct types *t, const char *name)
{
	const struct btf_query q = query_of(t, name);
	struct kernel_btf *k = NULL;
	uint32_t id;

	if (!q.module && *q.name && btf_open(t))
		k = modules_find(t, t->btf, q.space, q.name, &id);
	return k ? btf_type(t, k, id) : NULL;
}

static bool is_percpu(struct kernel_btf *k, uint32_t id)
{
	struct btf_cursor c = { 0 };
	const struct btf_type *sec;

	while ((sec = btf_data_next(&k->data, &c))) {
		if (!btf_is_datasec(sec) || strcmp(btf_data_name(&k->data, sec->name_off), ".data..percpu"))
			continue;
		for (uint16_t i = 0; i < btf_vlen(sec); i++)
			if (btf_var_secinfos(sec)[i].type == id)
				return true;
	}
	return false;
}

bool btf_variable(struct types *t, const char *module, const char *name, struct type **type, bool *percpu)
{
	uint32_t id;
	struct kernel_btf *k = find_in_module(t, module ? module : "vmlinux", BTF_VALUE, name, &id);
	const struct btf_type *bt = k ? btf_data_type(&k->data, id) : NULL;

	if (!bt || k->own)
		return false;
	*type = btf_type(t, k, bt->type);
	*percpu = btf_is_var(bt) && is_percpu(k, id);
	return true;
}

/* ---- converting, one function per kind ---- */

typedef struct type *(*convert_fn)(struct types *t, struct kernel_btf *k, const struct btf_type *bt, const char *name);

static struct type *made_type(struct types *t, enum type_kind kind, const char *name, uint64_t size)
{
	struct type *ty = arena_alloc(t->arena, sizeof *ty);

	ty->kind = kind;
	ty->size = size;
	ty->name = name;
	ty->loaded = true;
	return ty;
}

/* A type that has a size but that D cannot compute with becomes a structure without members. */
static struct type *conv_opaque(struct types *t, struct kernel_btf *k, const struct btf_type *bt, const char *name)
{
	struct type *ty = made_type(t, T_STRUCT, name, bt->size);

	(void)k;
	ty->kernel = true;
	return ty;
}

static bool is_word(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static struct type *conv_int(struct types *t, struct kernel_btf *k, const struct btf_type *bt, const char *name)
{
	struct type *ty = type_lookup_script(t, name);

	if (ty && ty->kind == T_INT && ty->size == bt->size)
		return ty;
	if (!is_word(bt->size))
		return conv_opaque(t, k, bt, name);
	ty = made_type(t, T_INT, name, bt->size);
	ty->is_signed = btf_int_encoding(bt) & BTF_INT_SIGNED;
	return ty;
}

static struct type *conv_ptr(struct types *t, struct kernel_btf *k, const struct btf_type *bt, const char *name)
{
	(void)name;
	return type_pointer(t, btf_type(t, k, bt->type));
}

static struct type *conv_array(struct types *t, struct kernel_btf *k, const struct btf_type *bt, const char *name)
{
	(void)name;
	return type_array(t, btf_type(t, k, btf_array(bt)->type), btf_array(bt)->nelems);
}

static const char *tagged_name(struct types *t, const char *tag, const char *name)
{
	return *name ? arena_printf(t->arena, "%s %s", tag, name) : NULL;
}

static struct type *conv_struct(struct types *t, struct kernel_btf *k, const struct btf_type *bt, const char *name)
{
	bool is_union = btf_is_union(bt);
	const char *tagged = tagged_name(t, is_union ? "union" : "struct", name);
	struct type *ty = made_type(t, is_union ? T_UNION : T_STRUCT, tagged, bt->size);

	(void)k;
	ty->kernel = true;
	ty->loaded = false;
	return ty;
}

static struct type *conv_fwd(struct types *t, struct kernel_btf *k, const struct btf_type *bt, const char *name)
{
	bool is_union = btf_kflag(bt);
	const char *tagged = tagged_name(t, is_union ? "union" : "struct", name);
	struct type *ty = made_type(t, is_union ? T_UNION : T_STRUCT, tagged, 0);

	(void)k;
	ty->kernel = true;
	ty->loaded = false;
	return ty;
}

static struct type *conv_enum(struct types *t, struct kernel_btf *k, const struct btf_type *bt, const char *name)
{
	struct type *ty;

	if (!is_word(bt->size))
		return conv_opaque(t, k, bt, name);
	ty = made_type(t, T_ENUM, tagged_name(t, "enum", name), bt->size);
	ty->is_signed = btf_kflag(bt);
	return ty;
}

static struct type *conv_typedef(struct types *t, struct kernel_btf *k, const struct btf_type *bt, const char *name)
{
	struct type *ty = btf_type(t, k, bt->type);

	if (!ty->name && (ty->kind == T_STRUCT || ty->kind == T_UNION || ty->kind == T_ENUM))
		ty->name = name;	/* typedef struct { ... } atomic_t: its only name */
	return type_named(t, name, ty);
}

static struct type *conv_ref(struct types *t, struct kernel_btf *k, const struct btf_type *bt, const char *name)
{
	(void)name;
	return btf_type(t, k, bt->type);
}

static struct type *conv_func(struct types *t, struct kernel_btf *k, const struct btf_type *bt, const char *name)
{
	(void)name;
	return type_function(t, btf_type(t, k, bt->type));
}

static const convert_fn converters[NR_BTF_KINDS] = {
	[BTF_KIND_INT] = conv_int, [BTF_KIND_PTR] = conv_ptr, [BTF_KIND_ARRAY] = conv_array,
	[BTF_KIND_STRUCT] = conv_struct, [BTF_KIND_UNION] = conv_struct, [BTF_KIND_ENUM] = conv_enum,
	[BTF_KIND_ENUM64] = conv_enum, [BTF_KIND_FWD] = conv_fwd, [BTF_KIND_TYPEDEF] = conv_typedef,
	[BTF_KIND_VOLATILE] = conv_ref, [BTF_KIND_CONST] = conv_ref, [BTF_KIND_RESTRICT] = conv_ref,
	[BTF_KIND_TYPE_TAG] = conv_ref, [BTF_KIND_DECL_TAG] = conv_ref, [BTF_KIND_FUNC] = conv_ref,
	[BTF_KIND_FUNC_PROTO] = conv_func, [BTF_KIND_FLOAT] = conv_opaque,
};

/* Ids of a module's own types continue where the kernel's end. */
static void **type_slot(struct types *t, const struct kernel_btf *k, uint32_t id)
{
	struct {
		const void *in;
		uint64_t id;
	} key = { id < k->data.first ? t->btf : k, id };

	return map_put(&t->by_btf, &key, sizeof key);
}

/* Members are loaded later, so only chains of references recurse. In valid BTF they are short; a type that refers to
 * itself becomes void. */
static struct type *btf_type(struct types *t, struct kernel_btf *k, uint32_t id)
{
	const struct btf_type *bt = btf_data_type(&k->data, id);
	uint32_t kind = bt ? btf_kind(bt) : BTF_KIND_UNKN;
	struct type *ty = t->t_void;
	void **known = type_slot(t, k, id);

	if (*known)
		return *known;
	if (k->depth == BTF_MAXDEPTH)
		return ty;
	*known = ty;
	k->depth++;
	if (id != 0 && kind < NR_BTF_KINDS && converters[kind])
		ty = converters[kind](t, k, bt, arena_strdup(t->arena, btf_data_name(&k->data, bt->name_off)));
	k->depth--;
	if (!ty->btf && (!ty->loaded || ty->kind == T_ENUM)) {
		ty->btf = id;
		ty->btf_in = k;
	}
	*type_slot(t, k, id) = ty;
	return ty;
}

/* ---- members ---- */

/* A bit-field must fit into its integer. */
static bool member_fits(const struct member *m)
{
	return !m->bits || (type_is_int(m->type) && m->bits <= m->type->size * 8);
}

void btf_member_resolve(struct types *t, const struct type *s, struct member *m)
{
	struct kernel_btf *k = s->members_in;
	const struct btf_type *bt;

	if (m->type)
		return;
	bt = t->btf ? btf_data_type(&k->data, m->btf) : NULL;
	/* without kind_flag, the integer type has offset and width of a bit-field */
	if (!m->has_place && bt && btf_is_int(bt) && btf_int_bits(bt) != bt->size * 8) {
		m->bits = btf_int_bits(bt);
		m->bitoff += btf_int_offset(bt);
	}
	m->type = bt ? btf_type(t, k, m->btf) : t->t_void;
	if (!member_fits(m))
		m->type = t->t_void;
}

/* Finds the definition of a structure that is only declared in its BTF; a module's may be in the kernel's BTF. */
static const struct btf_type *find_definition(struct types *t, struct kernel_btf **k, const struct type *s)
{
	const struct btf_type *bt = btf_data_type(&(*k)->data, s->btf);
	enum btf_space space = s->kind == T_UNION ? BTF_UNION : BTF_STRUCT;
	const char *name;
	uint32_t id;

	if (!bt || !btf_is_fwd(bt))
		return bt;
	name = btf_data_name(&(*k)->data, bt->name_off);
	id = btf_data_find(&(*k)->data, space, name);
	if (!id && *k != t->btf) {
		*k = t->btf;
		id = btf_data_find(&(*k)->data, space, name);
	}
	return id ? btf_data_type(&(*k)->data, id) : NULL;
}

bool btf_members_load(struct types *t, struct type *s)
{
	struct kernel_btf *k = s->btf_in;
	const struct btf_type *bt = t->btf ? find_definition(t, &k, s) : NULL;
	uint16_t n;

	if (!bt || (k->own && !bt->size))
		return false;
	n = btf_vlen(bt);
	s->members = arena_calloc(t->arena, n ? n : 1, sizeof *s->members);
	for (uint16_t i = 0; i < n; i++) {
		const struct btf_member *bm = &btf_members(bt)[i];
		const char *name = btf_data_name(&k->data, bm->name_off);

		s->members[i] = (struct member){
			.name = *name ? arena_strdup(t->arena, name) : NULL, .btf = bm->type,
			.bitoff = btf_member_bit_offset(bt, i), .bits = btf_member_bitfield_size(bt, i),
			.has_place = btf_kflag(bt),
		};
	}
	s->members_in = k;
	s->size = bt->size;
	s->nmembers = n;
	s->loaded = true;
	return true;
}

/* A member: its offset from the start of the outermost structure, in bits, and its type. */
struct found_member {
	uint32_t bits, type;
};

/* Finds a member, also inside anonymous ones. */
static bool member_find(struct kernel_btf *k, const struct btf_type *bt, const char *name, struct found_member *out,
			unsigned depth)
{
	for (uint16_t i = 0; bt && depth < BTF_MAXDEPTH && btf_is_composite(bt) && i < btf_vlen(bt); i++) {
		const struct btf_member *m = &btf_members(bt)[i];
		const char *own = btf_data_name(&k->data, m->name_off);
		bool found = !strcmp(own, name);

		out->type = m->type;
		if (!found && !*own)
			found = member_find(k, btf_data_type(&k->data, m->type), name, out, depth + 1);
		if (!found)
			continue;
		out->bits += btf_member_bit_offset(bt, i);
		return true;
	}
	return false;
}

/* The type that a pointer points to. By ID: a search by name would visit far more types. */
static const struct btf_type *pointed_type(struct kernel_btf *k, uint32_t id)
{
	const struct btf_type *bt = btf_data_type(&k->data, id);

	for (unsigned i = 0; bt && i < BTF_MAXDEPTH && (btf_is_ptr(bt) || btf_is_mod(bt) || btf_is_type_tag(bt)); i++)
		bt = btf_data_type(&k->data, bt->type);
	return bt;
}

/* The types of the running kernel, or NULL. */
static struct kernel_btf *running_kernel(struct types *t)
{
	struct kernel_btf *k = t->btf_path ? NULL : btf_open(t);

	return k && !k->own ? k : NULL;
}

uint32_t btf_offset(struct types *t, const char *tag, const char *member, const char *of_target)
{
	struct kernel_btf *k = running_kernel(t);
	uint32_t id = k ? btf_data_find(&k->data, BTF_STRUCT, tag) : 0;
	struct found_member m = { 0 }, inner = { 0 };

	if (!id || !member_find(k, btf_data_type(&k->data, id), member, &m, 0))
		return 0;
	if (!of_target)
		return m.bits / 8;
	return member_find(k, pointed_type(k, m.type), of_target, &inner, 0) ? inner.bits / 8 : 0;
}

uint32_t btf_struct_id(struct types *t, const char *name)
{
	struct kernel_btf *k = running_kernel(t);

	return k ? btf_data_find(&k->data, BTF_STRUCT, name) : 0;
}

uint32_t btf_func_id(struct types *t, const char *name)
{
	struct kernel_btf *k = running_kernel(t);
	uint32_t id = k ? btf_data_find(&k->data, BTF_VALUE, name) : 0;

	return id && btf_is_func(btf_data_type(&k->data, id)) ? id : 0;
}

/* Enumerator i, or NULL after the last one. */
static const char *enumerator_at(struct kernel_btf *k, const struct btf_type *bt, unsigned i, int64_t *value)
{
	if (i >= btf_vlen(bt))
		return NULL;
	if (btf_is_enum(bt)) {
		*value = btf_kflag(bt) ? (int64_t)btf_enum(bt)[i].val : (int64_t)(uint32_t)btf_enum(bt)[i].val;
		return btf_data_name(&k->data, btf_enum(bt)[i].name_off);
	}
	*value = (int64_t)btf_enum64_value(&btf_enum64(bt)[i]);
	return btf_data_name(&k->data, btf_enum64(bt)[i].name_off);
}

static const struct btf_type *enum_of(const struct type *t)
{
	struct kernel_btf *k = t->btf_in;
	const struct btf_type *bt = k ? btf_data_type(&k->data, t->btf) : NULL;

	return bt && (btf_is_enum(bt) || btf_is_enum64(bt)) ? bt : NULL;
}

const char *btf_enumerator(const struct type *t, int64_t value)
{
	const struct btf_type *bt = enum_of(t);
	const char *name;
	int64_t v;

	for (unsigned i = 0; bt && (name = enumerator_at(t->btf_in, bt, i, &v)); i++)
		if (btf_is_enum(bt) ? (int32_t)v == (int32_t)value : v == value)
			return name;
	return NULL;
}

bool btf_enum_value(const struct type *t, const char *name, int64_t *value)
{
	const struct btf_type *bt = enum_of(t);
	const char *s;

	for (unsigned i = 0; bt && (s = enumerator_at(t->btf_in, bt, i, value)); i++)
		if (!strcmp(s, name))
			return true;
	return false;
}
