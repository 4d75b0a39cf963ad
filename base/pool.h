/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pieces of memory of one size, without an allocation for each.
 *
 * Ownership: the pool owns the pieces; pool_free frees all (idempotent; a pool with only a size is empty).
 * Errors: pool_get returns NULL without memory.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>

struct pool_block;

struct pool {
	size_t size;			/* bytes of a piece, a multiple of 8, at least 8 */
	struct pool_block *blocks;	/* newest first */
	void *unused;			/* pieces that were given back, linked by their first word */
};

/* Returns a zeroed piece, aligned to 8. */
void *pool_get(struct pool *p);
/* Gives a piece back; NULL: does nothing. */
void pool_put(struct pool *p, void *piece);
void pool_free(struct pool *p);

#endif
