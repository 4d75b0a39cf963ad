/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The mapping of profil(2): program counters to numbered cells of a buffer.
 *
 *	cell = (pc - offset) * fraction / size of a cell
 *
 * rounded down. The scale is a binary fraction with the point at its left: fraction = scale / 65536; but 0xffff,
 * 0x7fff, 0x3fff and all other 2^n - 1 stand for 2^n, as the manuals of UNIX use them: with 0xffff a cell is as many
 * bytes of code as it has itself, with 0x7fff twice as many.
 *
 * Ownership: plain data. Errors: none.
 */
#ifndef ENGINE_OUTPUT_GMON_PROFIL_CELLS_H
#define ENGINE_OUTPUT_GMON_PROFIL_CELLS_H

#include <stdbool.h>
#include <stdint.h>

enum { PROFIL_SCALE_LEAST = 2, PROFIL_SCALE_MOST = 0xffff };	/* 0 and 1 turn profil(2) off */

struct profil_map {
	uint64_t offset;		/* address that is mapped to cell 0 */
	uint32_t scale;			/* PROFIL_SCALE_LEAST to PROFIL_SCALE_MOST */
	uint32_t size;			/* of a cell in bytes: 2 or 4 */
	uint64_t cells;			/* number of cells */
};

/* Stores the cell of an address. Returns false if it is before the first or after the last one. */
bool profil_cell(const struct profil_map *m, uint64_t pc, uint64_t *cell);
/* The lowest address that is mapped to a cell. */
uint64_t profil_address(const struct profil_map *m, uint64_t cell);

#endif
