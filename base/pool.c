/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_PIECES = 8,
	LARGEST_BLOCK = 1 << 20,	/* bytes; larger pieces have a block each */
};

struct pool_block {
	struct pool_block *older;
	size_t used, n;			/* pieces */
	uint64_t bytes[];
};

/* Each block has twice as many pieces as the one before, up to the largest. */
static struct pool_block *block_new(struct pool *p)
{
	size_t most = LARGEST_BLOCK / p->size, n = p->blocks ? 2 * p->blocks->n : FIRST_PIECES;
	struct pool_block *b;

	n = n < most ? n : most ? most : 1;
	b = p->size <= (SIZE_MAX - sizeof *b) / n ? malloc(sizeof *b + n * p->size) : NULL;
	if (!b)
		return NULL;
	*b = (struct pool_block){ .older = p->blocks, .n = n };
	return p->blocks = b;
}

void *pool_get(struct pool *p)
{
	struct pool_block *b = p->blocks;
	void *piece = p->unused;

	if (piece) {
		memcpy(&p->unused, piece, sizeof p->unused);
		return memset(piece, 0, p->size);
	}
	if (!b || b->used == b->n)
		b = block_new(p);
	if (!b)
		return NULL;
	piece = (uint8_t *)b->bytes + b->used++ * p->size;
	return memset(piece, 0, p->size);
}

void pool_put(struct pool *p, void *piece)
{
	if (!piece)
		return;
	memcpy(piece, &p->unused, sizeof p->unused);
	p->unused = piece;
}

void pool_free(struct pool *p)
{
	while (p->blocks) {
		struct pool_block *b = p->blocks;

		p->blocks = b->older;
		free(b);
	}
	p->unused = NULL;
}
