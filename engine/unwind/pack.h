/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwinding tables of a file in the form that the walker in the kernel reads (rt/unwind.h): all rows in order of
 * address, and from these the table of a piece of the code.
 *
 * Ownership: struct pack owns the rows until pack_close (idempotent); struct pack_input owns the sections until
 * pack_rows. Errors: pack_file and pack_rows return false if memory runs out (nomem), or if the file has no tables.
 */
#ifndef ENGINE_UNWIND_PACK_H
#define ENGINE_UNWIND_PACK_H

#include "engine/unwind/cfi_source.h"
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

/* The sections of a file. */
struct pack_input {
	struct cfi_source eh, debug;
};

/* Reads the sections. */
void pack_read(struct pack_input *in, struct object *o);
/* Decodes .eh_frame, and for code that it lacks .debug_frame; closes `in`. This may run in another thread, if that
 * alone uses `r`. stop: the rows are not needed any more; may be NULL. */
bool pack_rows(struct pack *p, struct pack_input *in, struct rules *r, const _Atomic bool *stop);
/* Both. */
bool pack_file(struct pack *p, struct object *o, struct rules *r);
void pack_close(struct pack *p);
/* The size of the table of piece `number`, which begins at link-time address number << PACK_PIECE_BITS. words 0: it has
 * no rows. */
struct pack_size { uint32_t pages, words; } pack_size(const struct pack *p, uint64_t number);
/* Stores that table: the index of pages + 1 words, then the rows. word: number of out[0] in its chunk. */
void pack_piece(const struct pack *p, uint64_t number, uint32_t pages, uint32_t word, uint32_t *out);

#endif
