/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwinding tables of a file in the form that the walker in the kernel reads (rt/unwind.h): all rows in order of
 * address, and from these the table of a piece of the code.
 *
 * Ownership: struct pack owns the rows until pack_close (idempotent). Errors: pack_file returns false if memory runs
 * out (nomem), or if the file has no tables.
 */
#ifndef ENGINE_UNWIND_PACK_H
#define ENGINE_UNWIND_PACK_H

#include "engine/symbols/object.h"
#include "engine/unwind/rules.h"

enum { PACK_PIECE_BITS = 20, PACK_PAGES = 1 << (PACK_PIECE_BITS - UNWIND_PAGE_BITS) };	/* of a piece: 1 MB of code */

/* The code from an address up to the next row's. */
struct pack_row {
	uint64_t at;			/* link-time address */
	uint32_t rule;
};

struct pack {
	struct pack_row *v;
	size_t n, cap;
	bool nomem;
};

/* Reads .eh_frame, and for code that it lacks .debug_frame. */
bool pack_file(struct pack *p, struct object *o, struct rules *r);
void pack_close(struct pack *p);
/* The size of the table of piece `number`, which begins at link-time address number << PACK_PIECE_BITS. words 0: it has
 * no rows. */
struct pack_size { uint32_t pages, words; } pack_size(const struct pack *p, uint64_t number);
/* Stores that table: the index of pages + 1 words, then the rows. word: number of out[0] in its chunk. */
void pack_piece(const struct pack *p, uint64_t number, uint32_t pages, uint32_t word, uint32_t *out);

#endif
