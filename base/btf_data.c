/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/btf_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

enum { MARK_EVERY = 64 };

struct btf_slot {
	uint32_t hash, id;		/* id 0: free */
};

/* ---- opening ---- */
/* Finds the two sections. Names end within theirs, and that of the kernel begins with an empty one. */
static int open_sections(struct btf_data *d)
{
	struct btf_header h;
	size_t rest;

	if (d->file.size < sizeof h)
		return -EINVAL;
	memcpy(&h, btf_file_at(&d->file, 0, sizeof h), sizeof h);
	if (h.magic != BTF_MAGIC || h.version != BTF_VERSION || h.hdr_len < sizeof h || h.hdr_len > d->file.size ||
	    h.hdr_len % 4 || h.type_off % 4)
		return -EINVAL;
	rest = d->file.size - h.hdr_len;
	if (h.type_off > rest || h.type_len > rest - h.type_off || h.str_off > rest || h.str_len > rest - h.str_off)
		return -EINVAL;
	d->types = (size_t)h.hdr_len + h.type_off;
	d->types_len = h.type_len;
	d->strings = (size_t)h.hdr_len + h.str_off;
	d->strings_len = h.str_len;
	if (!d->strings_len)
		return d->base ? 0 : -EINVAL;
	if (*btf_file_at(&d->file, d->strings + d->strings_len - 1, 1))
		return -EINVAL;
	return d->base || !*btf_file_at(&d->file, d->strings, 1) ? 0 : -EINVAL;
}

void btf_data_close(struct btf_data *d)
{
	btf_file_close(&d->file);
	free(d->marks);
	for (size_t i = 0; i < sizeof d->index / sizeof *d->index; i++)
		free(d->index[i].slots);
	*d = (struct btf_data){ .first = 1, .end = 1 };
}

/* ---- types in the order of the file ---- */
/* Bytes of a type: struct btf_type and what its kind adds; 0 for a kind that is unknown. */
static uint64_t type_bytes(const struct btf_type *t)
{
	static const struct {
		uint8_t base, each;
	} sizes[NR_BTF_KINDS] = {
		[BTF_KIND_INT] = { sizeof *t + sizeof(uint32_t), 0 },
		[BTF_KIND_PTR] = { sizeof *t, 0 },
		[BTF_KIND_ARRAY] = { sizeof *t + sizeof(struct btf_array), 0 },
		[BTF_KIND_STRUCT] = { sizeof *t, sizeof(struct btf_member) },
		[BTF_KIND_UNION] = { sizeof *t, sizeof(struct btf_member) },
		[BTF_KIND_ENUM] = { sizeof *t, sizeof(struct btf_enum) },
		[BTF_KIND_FWD] = { sizeof *t, 0 },
		[BTF_KIND_TYPEDEF] = { sizeof *t, 0 },
		[BTF_KIND_VOLATILE] = { sizeof *t, 0 },
		[BTF_KIND_CONST] = { sizeof *t, 0 },
		[BTF_KIND_RESTRICT] = { sizeof *t, 0 },
		[BTF_KIND_FUNC] = { sizeof *t, 0 },
		[BTF_KIND_FUNC_PROTO] = { sizeof *t, sizeof(struct btf_param) },
		[BTF_KIND_VAR] = { sizeof *t + sizeof(struct btf_var), 0 },
		[BTF_KIND_DATASEC] = { sizeof *t, sizeof(struct btf_var_secinfo) },
		[BTF_KIND_FLOAT] = { sizeof *t, 0 },
		[BTF_KIND_DECL_TAG] = { sizeof *t + sizeof(struct btf_decl_tag), 0 },
		[BTF_KIND_TYPE_TAG] = { sizeof *t, 0 },
		[BTF_KIND_ENUM64] = { sizeof *t, sizeof(struct btf_enum64) },
	};
	uint32_t kind = BTF_INFO_KIND(t->info);

	if (kind >= NR_BTF_KINDS)
		return 0;
	return sizes[kind].base + (uint64_t)sizes[kind].each * BTF_INFO_VLEN(t->info);
}

/* The common part of the type at an offset in the section. */
static const struct btf_type *head_at(struct btf_data *d, uint32_t off)
{
	return (const struct btf_type *)btf_file_at(&d->file, d->types + off, sizeof(struct btf_type));
}

/* Remembers where every MARK_EVERY-th type begins. Returns false if there is no memory. */
static bool mark_type(struct btf_data *d)
{
	uint32_t i = (d->end - d->first) / MARK_EVERY, room = d->room ? d->room * 2 : 256, *marks;

	if ((d->end - d->first) % MARK_EVERY)
		return true;
	if (i == d->room) {
		marks = reallocarray(d->marks, room, sizeof *marks);
		if (!marks)
			return false;
		d->marks = marks;
		d->room = room;
	}
	d->marks[i] = d->off;
	return true;
}

/* Visits one more type. False: there are no more, or the next one is broken. */
static bool visit_type(struct btf_data *d)
{
	uint32_t left = d->types_len - d->off;
	uint64_t bytes;

	if (!left || d->broken)
		return false;
	bytes = left >= sizeof(struct btf_type) ? type_bytes(head_at(d, d->off)) : 0;
	if (!bytes || bytes > left) {
		d->broken = true;
		return false;
	}
	if (!mark_type(d))
		return false;
	d->off += (uint32_t)bytes;
	d->end++;
	return true;
}

/* Moves to the next type. False: there are no more. */
static bool cursor_step(struct btf_data *d, struct btf_cursor *c)
{
	uint32_t id = c->id ? c->id + 1 : d->first;

	if (id == d->end && !visit_type(d))
		return false;
	c->off += c->id ? (uint32_t)type_bytes(head_at(d, c->off)) : 0;
	c->id = id;
	return true;
}

int btf_data_static(struct btf_data *d, const uint8_t *bytes, size_t n)
{
	int err;

	*d = (struct btf_data){ .first = 1, .end = 1 };
	btf_file_static(&d->file, bytes, n);
	err = open_sections(d);
	if (err)
		btf_data_close(d);
	return err;
}

int btf_data_open(struct btf_data *d, const char *path, struct btf_data *base)
{
	int err = 0;

	while (base && visit_type(base))
		;
	*d = (struct btf_data){ .base = base, .first = base ? base->end : 1 };
	d->end = d->first;
	if (base && base->off < base->types_len)
		err = -EINVAL;		/* the IDs of the module's types are unknown */
	if (!err)
		err = btf_file_open(&d->file, path);
	if (!err)
		err = open_sections(d);
	if (err)
		btf_data_close(d);
	return err;
}

/* ---- types by ID ---- */
static const struct btf_type *type_at(struct btf_data *d, uint32_t off)
{
	return (const struct btf_type *)btf_file_at(&d->file, d->types + off, type_bytes(head_at(d, off)));
}

const struct btf_type *btf_data_next(struct btf_data *d, struct btf_cursor *c)
{
	return cursor_step(d, c) ? type_at(d, c->off) : NULL;
}

const struct btf_type *btf_data_type(struct btf_data *d, uint32_t id)
{
	static const struct btf_type nothing;
	uint32_t off;

	if (!id)
		return &nothing;
	if (id < d->first)
		return d->base ? btf_data_type(d->base, id) : NULL;
	while (id >= d->end)
		if (!visit_type(d))
			return NULL;
	off = d->marks[(id - d->first) / MARK_EVERY];
	for (uint32_t n = (id - d->first) % MARK_EVERY; n > 0; n--)
		off += (uint32_t)type_bytes(head_at(d, off));
	return type_at(d, off);
}

/* ---- names ---- */
/* The BTF whose section has the name; *off becomes the offset in that section. NULL: the offset is not valid. */
static struct btf_data *strings_of(struct btf_data *d, uint32_t *off)
{
	while (d->base && *off < d->base->strings_len)
		d = d->base;
	*off -= d->base ? d->base->strings_len : 0;
	return *off < d->strings_len ? d : NULL;
}

const char *btf_data_name(struct btf_data *d, uint32_t off)
{
	d = strings_of(d, &off);
	return d ? btf_file_string(&d->file, d->strings + off, d->strings + d->strings_len) : "";
}

static bool name_is(struct btf_data *d, uint32_t off, const char *name, size_t len)
{
	const uint8_t *at;

	d = strings_of(d, &off);
	if (!d || len >= d->strings_len - off)
		return false;
	at = btf_file_at(&d->file, d->strings + off, len + 1);
	return *at == (uint8_t)*name && !memcmp(at, name, len + 1);
}

static enum btf_space space_of(const struct btf_type *t)
{
	static const uint8_t spaces[NR_BTF_KINDS] = {
		[BTF_KIND_STRUCT] = BTF_STRUCT, [BTF_KIND_UNION] = BTF_UNION, [BTF_KIND_ENUM] = BTF_ENUM,
		[BTF_KIND_ENUM64] = BTF_ENUM, [BTF_KIND_TYPEDEF] = BTF_PLAIN, [BTF_KIND_INT] = BTF_PLAIN,
		[BTF_KIND_FLOAT] = BTF_PLAIN, [BTF_KIND_VAR] = BTF_VALUE, [BTF_KIND_FUNC] = BTF_VALUE,
	};

	return t->name_off ? spaces[BTF_INFO_KIND(t->info)] : BTF_NAMELESS;
}

/* Which index has the name. */
static unsigned index_of(enum btf_space space)
{
	return space == BTF_VALUE;
}

static uint32_t hash_of(enum btf_space space, const char *name)
{
	return (uint32_t)hash_key(name, strlen(name)) + space;
}

/* The slot of a name, or the free one where it belongs. */
static struct btf_slot *slot_of(struct btf_data *d, enum btf_space space, const char *name)
{
	const struct btf_index *x = &d->index[index_of(space)];
	uint32_t hash = hash_of(space, name);

	for (uint32_t s = hash & (x->nslots - 1);; s = (s + 1) & (x->nslots - 1)) {
		struct btf_slot *slot = &x->slots[s];
		const struct btf_type *t = slot->id && slot->hash == hash ? btf_data_type(d, slot->id) : NULL;

		if (!slot->id || (t && space_of(t) == space && name_is(d, t->name_off, name, strlen(name))))
			return slot;
	}
}

/* Makes the index. Without memory, searches go on without it. */
static void index_make(struct btf_data *d, unsigned which)
{
	struct btf_index *x = &d->index[which];
	struct btf_cursor c = { 0 };
	uint32_t n = 0, nslots = 64;

	while (cursor_step(d, &c)) {
		enum btf_space space = space_of(head_at(d, c.off));

		n += space && index_of(space) == which;
	}
	while (nslots / 2 < n)
		nslots *= 2;
	x->slots = calloc(nslots, sizeof *x->slots);
	x->nslots = x->slots ? nslots : 0;
	for (c = (struct btf_cursor){ 0 }; x->slots && cursor_step(d, &c);) {
		const struct btf_type *t = head_at(d, c.off);
		enum btf_space space = space_of(t);
		const char *name = space && index_of(space) == which ? btf_data_name(d, t->name_off) : "";
		struct btf_slot *slot = *name ? slot_of(d, space, name) : NULL;

		if (slot && !slot->id)
			*slot = (struct btf_slot){ hash_of(space, name), c.id };
	}
}

/* Compares one type after the other. */
static uint32_t search_types(struct btf_data *d, enum btf_space space, const char *name)
{
	struct btf_index *x = &d->index[index_of(space)];
	struct btf_cursor c = { 0 };
	size_t len = strlen(name);

	while (cursor_step(d, &c)) {
		const struct btf_type *t = head_at(d, c.off);

		x->looked++;
		if (space_of(t) == space && name_is(d, t->name_off, name, len))
			return c.id;
	}
	return 0;
}

uint32_t btf_data_find(struct btf_data *d, enum btf_space space, const char *name)
{
	struct btf_index *x = &d->index[index_of(space)];
	uint32_t most = d->types_len / (2 * sizeof(struct btf_type));	/* about the number of types */

	if (!*name)
		return 0;
	if (!x->slots && x->looked > most)
		index_make(d, index_of(space));
	return x->slots ? slot_of(d, space, name)->id : search_types(d, space, name);
}
