/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Arenas: memory that is allocated piece by piece and freed all at once.
 *
 * Ownership: the arena owns every piece; pieces are not freed individually.
 * Errors: none. Without memory the arena calls its `oom` function, which must not return. That of cmd/dtr prints one
 * line and ends the process; the kernel then releases all kernel objects, which are held by descriptors.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *head;	/* newest chunk; it links to older ones */
	size_t total;			/* bytes obtained from malloc so far */
	void (*oom)(void *arg);		/* does not return */
	void *oom_arg;
};

/* Initialises an empty arena. oom(oom_arg) is called when memory runs out; NULL: abort(). */
void arena_init(struct arena *a, void (*oom)(void *), void *oom_arg);

/* Calls `oom`: there was no memory for what belongs into the arena. */
_Noreturn void arena_exhausted(struct arena *a);

/* Returns `size` zeroed bytes, aligned to 16. Never NULL. */
void *arena_alloc(struct arena *a, size_t size);

/* Returns `n` zeroed objects of `size` bytes. An overflow of n*size calls `oom`. */
void *arena_calloc(struct arena *a, size_t n, size_t size);

/* Return copies of strings, always NUL-terminated. */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);

/* Returns a copy of `n` bytes. */
void *arena_memdup(struct arena *a, const void *p, size_t n);

/* Frees everything. The arena can be used again. Idempotent. */
void arena_free(struct arena *a);

/*
 * A vector in an arena: struct { T *v; size_t n, cap; }.
 *   VEC(struct foo) foos = { 0 };
 *   *VEC_ADD(a, &foos) = (struct foo){ ... };
 * Growing copies the elements to a new piece; pointers into the old one stay valid but refer to old copies.
 */
#define VEC(...) struct { __VA_ARGS__ *v; size_t n, cap; }
#define VEC_ADD(a, x)                                                                              \
	((x)->v = vec_grow((a), (x)->v, (x)->n, &(x)->cap, sizeof *(x)->v), &(x)->v[(x)->n++])

/* Makes room for one more element after `n` elements of `size` bytes. Returns the vector, which may have moved. */
void *vec_grow(struct arena *a, void *v, size_t n, size_t *cap, size_t size);

#endif
