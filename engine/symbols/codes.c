/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/codes.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"

struct code_entry {
	struct code code;
	uint32_t same;			/* the first number of an equal function */
};

struct codes {
	struct arena arena;
	struct map known;		/* contents -> struct code_entry of the first number */
	struct code_entry **entry;	/* by number; NULL: unused */
	uint32_t cap, last;		/* last: the highest number of codes_add */
};

struct codes *codes_open(void)
{
	struct codes *c = calloc(1, sizeof *c);

	if (c)
		map_init(&c->known, &c->arena);
	return c;
}

void codes_close(struct codes *c)
{
	if (!c)
		return;
	arena_free(&c->arena);
	free(c->entry);
	free(c);
}

static bool entries_grow(struct codes *c, uint32_t number)
{
	struct code_entry **v;
	uint32_t cap = c->cap;

	if (!number || number > CODES_MAX)
		return false;
	while (cap <= number)
		cap = cap ? 2 * cap : 64;
	if (cap == c->cap)
		return true;
	v = realloc(c->entry, cap * sizeof *v);
	if (!v)
		return false;
	memset(v + c->cap, 0, (cap - c->cap) * sizeof *v);
	c->entry = v;
	c->cap = cap;
	return true;
}

/* The bytes by which equal functions are recognised. */
static void code_key(struct buf *out, const struct code *code)
{
	buf_put(out, code->name, strlen(code->name) + 1);
	buf_put(out, code->file, strlen(code->file) + 1);
	buf_put(out, &code->first, sizeof code->first);
	buf_put(out, &code->line, sizeof code->line);
	buf_put(out, &code->inlined, sizeof code->inlined);
	buf_put(out, code->lines, code->size);
}

/* first: the entry of the first equal function, or NULL. */
static struct code_entry *entry_new(struct codes *c, const struct code *code, uint32_t number,
				    const struct code_entry *first)
{
	struct code_entry *e = arena_alloc(&c->arena, sizeof *e);

	*e = first ? *first : (struct code_entry){ *code, number };
	if (first)
		return e;
	e->code.name = arena_strndup(&c->arena, code->name, strlen(code->name));
	e->code.file = arena_strndup(&c->arena, code->file, strlen(code->file));
	e->code.lines = arena_memdup(&c->arena, code->lines, code->size);
	return e;
}

uint32_t codes_put(struct codes *c, uint32_t number, const struct code *code)
{
	struct buf key = { 0 };
	struct code_entry *e;
	void **known;

	if (!entries_grow(c, number))
		return 0;
	code_key(&key, code);
	known = key.failed ? NULL : map_put(&c->known, key.data, key.len);
	buf_free(&key);
	if (!known)
		return 0;
	e = entry_new(c, code, number, *known);
	if (!*known)
		*known = e;
	c->entry[number] = e;
	return number;
}

uint32_t codes_add(struct codes *c, const struct code *code)
{
	struct buf key = { 0 };
	void **known;

	code_key(&key, code);
	known = key.failed ? NULL : map_find(&c->known, key.data, key.len);
	buf_free(&key);
	if (known)
		return ((struct code_entry *)*known)->same;
	c->last += 2;
	return codes_put(c, c->last, code);
}

static const struct code_entry *entry_of_word(const struct codes *c, uint64_t word)
{
	uint32_t number = codes_number(word);

	return c && number < c->cap ? c->entry[number] : NULL;
}

static uint32_t line_of(const struct code *code, uint64_t word)
{
	uint32_t position = (uint32_t)word, line;

	if (position & CODES_LINE)
		return position & ~(uint32_t)CODES_LINE;
	line = code->line ? code->line(code, position) : 0;
	return line ? line : code->first;
}

uint64_t codes_settle(const struct codes *c, uint64_t word)
{
	const struct code_entry *e = codes_is_word(word) ? entry_of_word(c, word) : NULL;

	return e ? codes_word(e->same, (uint32_t)CODES_LINE | line_of(&e->code, word)) : word;
}

uint32_t codes_frames(const struct codes *c, const uint64_t *in, uint32_t n, uint64_t *out, uint32_t max)
{
	uint32_t stored = 0, more;

	for (uint32_t i = 0; i < n && in[i] && stored < max; i++) {
		const struct code_entry *e = codes_is_word(in[i]) ? entry_of_word(c, in[i]) : NULL;

		more = 0;
		if (e && e->code.inlined)
			more = e->code.inlined(&e->code, (uint32_t)in[i], out + stored, max - stored);
		if (!more)
			out[stored + more++] = in[i];
		for (uint32_t k = 0; k < more; k++, stored++)
			out[stored] = codes_settle(c, out[stored]);
	}
	return stored;
}

void codes_find(const struct codes *c, uint64_t word, struct symbol *out)
{
	const struct code_entry *e = entry_of_word(c, word);

	*out = (struct symbol){ 0 };
	if (!e)
		return;
	out->name = e->code.name;
	out->file = e->code.file;
	out->line = line_of(&e->code, word);
	out->start = out->base = word;
}
