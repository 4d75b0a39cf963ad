/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/btf_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"

enum { FIRST_READ = 1 << 20, MOST = 1 << 30 };

/* ---- the file ---- */
static int read_all(struct btf_data *d, int fd, size_t room)
{
	ssize_t n = 1;

	for (room = room ? room + 1 : FIRST_READ; n > 0; room *= 2) {
		uint8_t *p = room > MOST ? NULL : realloc(d->file, room);

		if (!p)
			return -ENOMEM;
		d->file = p;
		while (d->size < room && (n = read(fd, p + d->size, room - d->size)) > 0)
			d->size += (size_t)n;
	}
	return n < 0 ? -errno : 0;
}

/* Only files of sysfs are mapped: they never become shorter. */
static int load(struct btf_data *d, const char *path)
{
	static const char sysfs[] = "/sys/kernel/btf/";
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;
	void *p = MAP_FAILED;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		err = -errno;
	} else {
		if (!strncmp(path, sysfs, sizeof sysfs - 1) && st.st_size > 0)
			p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		d->mapped = p != MAP_FAILED;
		if (d->mapped) {
			d->file = p;
			d->size = (size_t)st.st_size;
		} else {
			err = read_all(d, fd, (size_t)st.st_size);
		}
	}
	close(fd);
	return err;
}

/* Finds the two sections. */
static int parse_header(struct btf_data *d)
{
	struct btf_header h;
	size_t rest;

	if (d->size < sizeof h)
		return -EINVAL;
	memcpy(&h, d->file, sizeof h);
	if (h.magic != BTF_MAGIC || h.version != BTF_VERSION || h.hdr_len < sizeof h || h.hdr_len > d->size ||
	    h.hdr_len % 4 || h.type_off % 4)
		return -EINVAL;
	rest = d->size - h.hdr_len;
	if (h.type_off > rest || h.type_len > rest - h.type_off || h.str_off > rest || h.str_len > rest - h.str_off)
		return -EINVAL;
	d->types = d->file + h.hdr_len + h.type_off;
	d->types_len = h.type_len;
	d->strings = (const char *)d->file + h.hdr_len + h.str_off;
	d->strings_len = h.str_len;
	if (h.str_len && d->strings[h.str_len - 1])
		return -EINVAL;
	return 0;
}

/* Bytes of a type: struct btf_type and what its kind adds; 0 for a kind that is unknown. */
static uint64_t type_bytes(const struct btf_type *t)
{
	static const struct {
		uint8_t known, fixed, each;
	} sizes[NR_BTF_KINDS] = {
		[BTF_KIND_INT] = { 1, sizeof(uint32_t), 0 },
		[BTF_KIND_PTR] = { 1, 0, 0 },
		[BTF_KIND_ARRAY] = { 1, sizeof(struct btf_array), 0 },
		[BTF_KIND_STRUCT] = { 1, 0, sizeof(struct btf_member) },
		[BTF_KIND_UNION] = { 1, 0, sizeof(struct btf_member) },
		[BTF_KIND_ENUM] = { 1, 0, sizeof(struct btf_enum) },
		[BTF_KIND_FWD] = { 1, 0, 0 },
		[BTF_KIND_TYPEDEF] = { 1, 0, 0 },
		[BTF_KIND_VOLATILE] = { 1, 0, 0 },
		[BTF_KIND_CONST] = { 1, 0, 0 },
		[BTF_KIND_RESTRICT] = { 1, 0, 0 },
		[BTF_KIND_FUNC] = { 1, 0, 0 },
		[BTF_KIND_FUNC_PROTO] = { 1, 0, sizeof(struct btf_param) },
		[BTF_KIND_VAR] = { 1, sizeof(struct btf_var), 0 },
		[BTF_KIND_DATASEC] = { 1, 0, sizeof(struct btf_var_secinfo) },
		[BTF_KIND_FLOAT] = { 1, 0, 0 },
		[BTF_KIND_DECL_TAG] = { 1, sizeof(struct btf_decl_tag), 0 },
		[BTF_KIND_TYPE_TAG] = { 1, 0, 0 },
		[BTF_KIND_ENUM64] = { 1, 0, sizeof(struct btf_enum64) },
	};
	uint32_t kind = BTF_INFO_KIND(t->info);

	if (kind >= NR_BTF_KINDS || !sizes[kind].known)
		return 0;
	return sizeof *t + sizes[kind].fixed + (uint64_t)sizes[kind].each * BTF_INFO_VLEN(t->info);
}

/* ---- reading on ---- */
static enum btf_space space_of(const struct btf_type *t)
{
	static const uint8_t spaces[NR_BTF_KINDS] = {
		[BTF_KIND_STRUCT] = BTF_STRUCT, [BTF_KIND_UNION] = BTF_UNION, [BTF_KIND_ENUM] = BTF_ENUM,
		[BTF_KIND_ENUM64] = BTF_ENUM, [BTF_KIND_TYPEDEF] = BTF_PLAIN, [BTF_KIND_INT] = BTF_PLAIN,
		[BTF_KIND_FLOAT] = BTF_PLAIN, [BTF_KIND_VAR] = BTF_VALUE, [BTF_KIND_FUNC] = BTF_VALUE,
	};

	return t->name_off ? spaces[BTF_INFO_KIND(t->info)] : BTF_NAMELESS;
}

static const struct btf_type *own_type(const struct btf_data *d, uint32_t id)
{
	return (const struct btf_type *)(d->types + d->at[id - d->first]);
}

static uint32_t hash_of(enum btf_space space, const char *name)
{
	return (uint32_t)hash_key(name, strlen(name)) + space;
}

/* The slot of a name, or the free one where it belongs. */
static struct btf_slot *slot_of(const struct btf_data *d, uint32_t hash, enum btf_space space, const char *name)
{
	for (uint32_t s = hash & (d->nslots - 1);; s = (s + 1) & (d->nslots - 1)) {
		struct btf_slot *slot = &d->slots[s];
		const struct btf_type *t;

		if (!slot->id)
			return slot;
		if (slot->hash != hash)
			continue;
		t = own_type(d, slot->id);
		if (space_of(t) == space && !strcmp(btf_data_name(d, t->name_off), name))
			return slot;
	}
}

/* Enters the type, unless another one has its name. */
static void index_add(struct btf_data *d, const struct btf_type *t, uint32_t id)
{
	const char *name = btf_data_name(d, t->name_off);
	uint32_t hash = hash_of(space_of(t), name);
	struct btf_slot *slot = slot_of(d, hash, space_of(t), name);

	if (slot->id)
		return;
	*slot = (struct btf_slot){ hash, id };
	d->named++;
}

/* Doubles the tables. */
static bool grow(struct btf_data *d)
{
	uint32_t n = d->end - d->first, *at, nold = d->nslots;
	struct btf_slot *old = d->slots;

	if (n == d->room) {
		at = reallocarray(d->at, d->room ? d->room * 2 : 1024, sizeof *at);
		if (!at)
			return false;
		d->at = at;
		d->room = d->room ? d->room * 2 : 1024;
	}
	if (2 * d->named < d->nslots)
		return true;
	d->slots = calloc(nold ? nold * 2 : 1024, sizeof *d->slots);
	if (!d->slots) {
		d->slots = old;
		return false;
	}
	d->nslots = nold ? nold * 2 : 1024;
	for (uint32_t i = 0; i < nold; i++) {
		uint32_t to = old[i].hash;

		while (old[i].id && d->slots[to & (d->nslots - 1)].id)
			to++;
		if (old[i].id)
			d->slots[to & (d->nslots - 1)] = old[i];
	}
	free(old);
	return true;
}

/* Reads one more type. False: there are no more, or what follows is broken. */
static bool read_type(struct btf_data *d)
{
	uint32_t left = d->types_len - d->off;
	const struct btf_type *t = (const struct btf_type *)(d->types + d->off);
	uint64_t bytes = left >= sizeof *t ? type_bytes(t) : 0;

	if (!bytes || bytes > left || !grow(d))
		return false;
	d->at[d->end - d->first] = d->off;
	d->off += (uint32_t)bytes;
	d->end++;
	if (space_of(t))
		index_add(d, t, d->end - 1);
	return true;
}

int btf_data_open(struct btf_data *d, const char *path, struct btf_data *base)
{
	int err;

	while (base && read_type(base))
		;
	*d = (struct btf_data){ .base = base, .first = base ? base->end : 1 };
	d->end = d->first;
	err = load(d, path);
	if (!err)
		err = parse_header(d);
	if (err)
		btf_data_close(d);
	return err;
}

void btf_data_close(struct btf_data *d)
{
	if (d->mapped)
		munmap(d->file, d->size);
	else
		free(d->file);
	free(d->at);
	free(d->slots);
	*d = (struct btf_data){ .first = 1, .end = 1 };
}

/* ---- types ---- */
const struct btf_type *btf_data_type(struct btf_data *d, uint32_t id)
{
	static const struct btf_type nothing;

	if (!id)
		return &nothing;
	if (id < d->first)
		return d->base ? btf_data_type(d->base, id) : NULL;
	while (id >= d->end)
		if (!read_type(d))
			return NULL;
	return own_type(d, id);
}

const char *btf_data_name(const struct btf_data *d, uint32_t off)
{
	uint32_t base = d->base ? d->base->strings_len : 0;

	if (off < base)
		return btf_data_name(d->base, off);
	return off - base < d->strings_len ? d->strings + (off - base) : "";
}

uint32_t btf_data_find(struct btf_data *d, enum btf_space space, const char *name)
{
	uint32_t hash = hash_of(space, name), id = d->nslots ? slot_of(d, hash, space, name)->id : 0;

	while (!id && read_type(d)) {
		const struct btf_type *t = own_type(d, d->end - 1);

		if (space_of(t) == space && !strcmp(btf_data_name(d, t->name_off), name))
			id = d->end - 1;
	}
	return id;
}
