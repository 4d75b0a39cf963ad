/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 32 * 1024, ALIGN = 16 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;	/* bytes of data */
	_Alignas(16) unsigned char data[];
};

void arena_init(struct arena *a, void (*oom)(void *), void *oom_arg)
{
	*a = (struct arena){ .oom = oom, .oom_arg = oom_arg };
}

_Noreturn void arena_exhausted(struct arena *a)
{
	if (a->oom)
		a->oom(a->oom_arg);
	abort();
}

/*
 * Adds a chunk with room for `size`. A chunk that one large piece fills goes after the newest in the list, and is zero;
 * others are cleared piece by piece, so pages that are not needed are never touched.
 */
static struct arena_chunk *chunk_add(struct arena *a, size_t size)
{
	size_t room = size > CHUNK_SIZE / 4 ? size : CHUNK_SIZE;
	struct arena_chunk *c = room == size ? calloc(1, sizeof *c + room) : malloc(sizeof *c + room);

	if (!c)
		arena_exhausted(a);
	c->size = room;
	c->used = 0;
	a->total += sizeof *c + room;
	if (room == size && a->head) {
		c->next = a->head->next;
		a->head->next = c;
	} else {
		c->next = a->head;
		a->head = c;
	}
	return c;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_chunk *c = a->head;
	void *p;

	if (size > SIZE_MAX / 2)
		arena_exhausted(a);
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!c || c->size - c->used < size)
		c = chunk_add(a, size);
	p = c->data + c->used;
	c->used += size;
	return c->size == size ? p : memset(p, 0, size);
}

void *arena_calloc(struct arena *a, size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total))
		arena_exhausted(a);
	return arena_alloc(a, total);
}

void *arena_memdup(struct arena *a, const void *p, size_t n)
{
	void *copy = arena_alloc(a, n);

	if (n)
		memcpy(copy, p, n);
	return copy;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = arena_alloc(a, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

/* Formats twice only if the text is long. */
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	char part[256], *s;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(part, sizeof part, fmt, again);
	va_end(again);
	if (n < (int)sizeof part)
		return arena_memdup(a, n < 0 ? "" : part, n < 0 ? 1 : (size_t)n + 1);
	s = arena_alloc(a, (size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	return s;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return s;
}

void arena_free(struct arena *a)
{
	struct arena_chunk *c = a->head;

	while (c) {
		struct arena_chunk *next = c->next;

		free(c);
		c = next;
	}
	a->head = NULL;
	a->total = 0;
}

void *vec_grow(struct arena *a, void *v, size_t n, size_t *cap, size_t size)
{
	void *grown;

	if (n < *cap)
		return v;
	*cap = *cap ? *cap * 2 : 4;
	grown = arena_calloc(a, *cap, size);
	if (n)
		memcpy(grown, v, n * size);
	return grown;
}
