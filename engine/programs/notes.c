/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/notes.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SECTION_MAX = 64 << 20, NOTE_TYPE = 3 };

static const char owner[] = "stapsdt";

struct note_reader {
	struct notes *out;
	struct arena *arena;
	const struct elf *e;
	uint64_t base;			/* address of .stapsdt.base; 0: the file has none */
};

/* An address of n bytes at p. */
static uint64_t address_at(const uint8_t *p, unsigned n)
{
	uint64_t wide = 0;
	uint32_t narrow;

	if (n == sizeof wide)
		memcpy(&wide, p, sizeof wide);
	else
		memcpy(&narrow, p, sizeof narrow), wide = narrow;
	return wide;
}

/* The end of a string at p, or NULL if it does not end before `end`. */
static const uint8_t *string_end(const uint8_t *p, const uint8_t *end)
{
	return p < end ? memchr(p, 0, (size_t)(end - p)) : NULL;
}

static void note_add(struct note_reader *r, const uint8_t *p, size_t size)
{
	unsigned n = r->e->is64 ? 8 : 4;
	const uint8_t *end = p + size, *provider = p + 3 * n, *name, *args, *last;
	uint64_t off, semaphore = 0, moved;

	if (size < 3 * n)
		return;
	name = string_end(provider, end);
	args = name ? string_end(++name, end) : NULL;
	last = args ? string_end(++args, end) : NULL;
	moved = r->base ? r->base - address_at(p + n, n) : 0;
	if (!last || !elf_offset(r->e, address_at(p, n) + moved, &off))
		return;
	if (address_at(p + 2 * n, n) && !elf_offset(r->e, address_at(p + 2 * n, n) + moved, &semaphore))
		return;
	*VEC_ADD(r->arena, &r->out->list) = (struct program_note){
		.provider = arena_strdup(r->arena, (const char *)provider),
		.name = arena_strdup(r->arena, (const char *)name),
		.args = arena_strdup(r->arena, (const char *)args),
		.off = off, .address = address_at(p, n) + moved, .semaphore = semaphore, .word = (uint8_t)n,
	};
}

static size_t round_up4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static void section_read(struct note_reader *r, const uint8_t *p, size_t size)
{
	Elf64_Nhdr h;			/* the same in 32-bit files */

	while (size >= sizeof h) {
		size_t name, desc;

		memcpy(&h, p, sizeof h);
		p += sizeof h;
		size -= sizeof h;
		name = round_up4(h.n_namesz);
		desc = round_up4(h.n_descsz);
		if (name > size || h.n_descsz > size - name)
			return;
		if (h.n_type == NOTE_TYPE && h.n_namesz == sizeof owner && !memcmp(p, owner, sizeof owner))
			note_add(r, p + name, h.n_descsz);
		desc = desc < size - name ? desc : size - name;
		p += name + desc;
		size -= name + desc;
	}
}

int notes_read(struct notes *n, struct arena *a, const struct elf *e)
{
	const struct elf_section *s = elf_section_named(e, ".note.stapsdt");
	const struct elf_section *base = elf_section_named(e, ".stapsdt.base");
	struct note_reader r = { .out = n, .arena = a, .e = e, .base = base ? base->addr : 0 };
	uint8_t *bytes;

	if (!s || s->type != SHT_NOTE || !s->size || s->size > SECTION_MAX)
		return 0;
	bytes = malloc(s->size);
	if (!bytes)
		return -ENOMEM;
	if (elf_read(e, s->off, bytes, s->size))
		section_read(&r, bytes, s->size);
	free(bytes);
	return 0;
}
