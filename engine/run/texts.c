/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/run/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

enum { FOUND = 1 << 16, FIRST = 1 << 10 };	/* slots; both are powers of two */

/* A text is its number of bytes (4) and a byte that does not tell texts apart: 0, or 1 and the cause of code without a
 * name. Then for each function: flags, the text and its NUL; INLINED; PLACED: the line (4) and the path with its NUL
 * follow. */
enum { INLINED = 1, PLACED = 2, WHY = 4, HEAD = 5 };

struct text_found {
	uint64_t owner, addr;
	uint32_t number;
	bool call;
};

/* ---- addresses ---- */
static struct text_found *found_slot(const struct frame_texts *t, uint64_t owner, uint64_t addr)
{
	uint64_t h = (addr ^ owner * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;

	return &t->found[h >> 32 & (FOUND - 1)];
}

static uint64_t word_of(uint32_t number)
{
	return number ? (uint64_t)TEXTS_MARK << TEXTS_MARK_SHIFT | number : 0;
}

uint64_t texts_find(const struct frame_texts *t, uint64_t owner, uint64_t addr, bool call)
{
	const struct text_found *f = t->found ? found_slot(t, owner, addr) : NULL;

	return f && f->owner == owner && f->addr == addr && f->call == call ? word_of(f->number) : 0;
}

/* ---- making a text ---- */
void texts_begin(struct frame_texts *t, bool unnamed, unsigned cause)
{
	const uint8_t head[HEAD] = { [WHY] = (uint8_t)(unnamed ? 1 + cause : 0) };

	buf_reset(&t->next);
	buf_put(&t->next, head, sizeof head);
}

void texts_add(void *texts, const struct val_frame *f)
{
	struct frame_texts *t = texts;

	buf_putc(&t->next, (f->inlined ? INLINED : 0) | (f->file ? PLACED : 0));
	buf_put(&t->next, f->text, strlen(f->text) + 1);
	if (!f->file)
		return;
	buf_put(&t->next, &f->line, sizeof f->line);
	buf_put(&t->next, f->file, strlen(f->file) + 1);
}

static uint32_t text_size(const uint8_t *text)
{
	uint32_t size;

	memcpy(&size, text, sizeof size);
	return size;
}

static uint32_t text_hash(const uint8_t *text, uint32_t size)
{
	return (uint32_t)hash_key(text + HEAD, size - HEAD);
}

static bool slots_grow(struct frame_texts *t)
{
	uint32_t n = t->nslots ? 2 * t->nslots : FIRST, *slots = calloc(n, sizeof *slots);

	if (!slots)
		return false;
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t at = text_hash(t->v[i], text_size(t->v[i])) & (n - 1);

		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = i;
	}
	free(t->slots);
	t->slots = slots;
	t->nslots = n;
	return true;
}

/* Makes room for one more text. */
static bool texts_grow(struct frame_texts *t)
{
	uint32_t cap = t->cap ? 2 * t->cap : FIRST;
	uint8_t **v;

	if (t->n == t->cap) {
		v = reallocarray(t->v, cap, sizeof *v);
		if (!v)
			return false;
		t->v = v;
		t->cap = cap;
		if (!t->n)
			v[t->n++] = NULL;
	}
	return 4 * (uint64_t)t->n < 3 * (uint64_t)t->nslots || slots_grow(t);
}

/* The number of the text that was made; 0: no memory. */
static uint32_t text_number(struct frame_texts *t)
{
	uint32_t size = (uint32_t)t->next.len, at;

	if (t->next.failed || t->next.len > UINT32_MAX / 2 || t->n == UINT32_MAX / 2 || !texts_grow(t))
		return 0;
	memcpy(t->next.data, &size, sizeof size);
	at = text_hash((uint8_t *)t->next.data, size) & (t->nslots - 1);
	for (; t->slots[at]; at = (at + 1) & (t->nslots - 1)) {
		uint8_t *x = t->v[t->slots[at]];

		if (text_size(x) == size && !memcmp(x + HEAD, t->next.data + HEAD, size - HEAD)) {
			if (!x[WHY])
				x[WHY] = (uint8_t)t->next.data[WHY];
			return t->slots[at];
		}
	}
	t->v[t->n] = malloc(size);
	if (!t->v[t->n])
		return 0;
	memcpy(t->v[t->n], t->next.data, size);
	return t->slots[at] = t->n++;
}

uint64_t texts_end(struct frame_texts *t)
{
	uint32_t number = text_number(t);

	t->nomem |= !number;
	return word_of(number);
}

void texts_keep(struct frame_texts *t, uint64_t owner, uint64_t addr, bool call, uint64_t word)
{
	if (!t->found)
		t->found = calloc(FOUND, sizeof *t->found);
	if (t->found)
		*found_slot(t, owner, addr) = (struct text_found){ owner, addr, (uint32_t)word, call };
}

/* ---- use ---- */
/* NULL: none. */
static const uint8_t *text_of(const struct frame_texts *t, uint64_t word)
{
	uint64_t number = word & ~((uint64_t)TEXTS_MARK << TEXTS_MARK_SHIFT);

	return number && number < t->n ? t->v[number] : NULL;
}

bool texts_unnamed(const struct frame_texts *t, uint64_t word)
{
	const uint8_t *x = text_of(t, word);

	return x && x[WHY];
}

unsigned texts_cause(const struct frame_texts *t, uint64_t word)
{
	const uint8_t *x = text_of(t, word);

	return x && x[WHY] ? x[WHY] - 1 : 0;
}

/* The text of the first function decides, if it is not the same. */
int texts_compare(const struct frame_texts *t, uint64_t a, uint64_t b)
{
	const uint8_t *x = text_of(t, a), *y = text_of(t, b);
	uint32_t nx = x ? text_size(x) : 0, ny = y ? text_size(y) : 0;
	int r = nx > HEAD && ny > HEAD ? strcmp((const char *)x + HEAD + 1, (const char *)y + HEAD + 1) : 0;

	if (!r && x && y)
		r = memcmp(x + HEAD, y + HEAD, (nx < ny ? nx : ny) - HEAD);
	if (!r)
		r = (nx > ny) - (nx < ny);
	return r ? (r > 0) - (r < 0) : (a > b) - (a < b);
}

void texts_frames(const struct frame_texts *t, uint64_t word, val_frame_fn *fn, void *to)
{
	const uint8_t *p = text_of(t, word), *end;

	if (!p)
		return;
	for (end = p + text_size(p), p += HEAD; p < end;) {
		uint8_t flags = *p++;
		struct val_frame f = { .text = (const char *)p, .inlined = flags & INLINED };

		p += strlen(f.text) + 1;
		if (flags & PLACED) {
			memcpy(&f.line, p, sizeof f.line);
			f.file = (const char *)p + sizeof f.line;
			p += sizeof f.line + strlen(f.file) + 1;
		}
		fn(to, &f);
	}
}

void texts_free(struct frame_texts *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	free(t->slots);
	free(t->found);
	buf_free(&t->next);
	*t = (struct frame_texts){ 0 };
}
