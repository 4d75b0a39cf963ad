/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Arenas: memory that is handed out piece by piece and freed all at once.
 *
 * Ownership: the arena owns every piece; no piece is freed by itself.
 * Errors: none. When the machine has no memory left the arena calls
 * its `oom` function, which must not return (cmd/dtr's prints one line and ends
 * the process; everything in the kernel lives in descriptors, so nothing is left behind).
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *head;	/* newest chunk; older ones hang behind it */
	size_t total;			/* bytes obtained from malloc so far */
	void (*oom)(void *arg);		/* does not return */
	void *oom_arg;
};

/* An empty arena. `oom` may be NULL: then exhaustion ends in abort(). */
void arena_init(struct arena *a, void (*oom)(void *), void *oom_arg);

/* `size` zeroed bytes, aligned to 16. Never NULL. */
void *arena_alloc(struct arena *a, size_t size);

/* Room for `n` objects of `size` bytes, zeroed; an overflow of n*size counts as exhaustion. */
void *arena_calloc(struct arena *a, size_t n, size_t size);

/* Copies of strings, always NUL-terminated. */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);

/* A copy of `n` bytes. */
void *arena_memdup(struct arena *a, const void *p, size_t n);

/* Frees everything; the arena may be used again. Idempotent. */
void arena_free(struct arena *a);

/*
 * A vector in an arena: struct { T *v; size_t n, cap; }.
 *   VEC(struct foo) foos = { 0 };
 *   *VEC_ADD(a, &foos) = (struct foo){ ... };
 * Growing copies into a new piece; pointers into the old one stay valid but stale.
 */
#define VEC(...) struct { __VA_ARGS__ *v; size_t n, cap; }
#define VEC_ADD(a, x)                                                                              \
	((x)->v = vec_grow((a), (x)->v, (x)->n, &(x)->cap, sizeof *(x)->v), &(x)->v[(x)->n++])

/* Makes room for one more of `n` objects of `size` bytes; returns the (new) first one. */
void *vec_grow(struct arena *a, void *v, size_t n, size_t *cap, size_t size);

#endif
