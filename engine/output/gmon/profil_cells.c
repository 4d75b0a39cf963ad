/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/gmon/profil_cells.h"

enum { POINT = 16 };			/* bits of the fraction */

static uint64_t cell_fraction(const struct profil_map *m)
{
	return (m->scale & (m->scale + 1)) == 0 ? (uint64_t)m->scale + 1 : m->scale;
}

bool profil_cell(const struct profil_map *m, uint64_t pc, uint64_t *cell)
{
	const unsigned __int128 byte = ((unsigned __int128)(pc - m->offset) * cell_fraction(m)) >> POINT;

	if (pc < m->offset || byte / m->size >= m->cells)
		return false;
	*cell = (uint64_t)(byte / m->size);
	return true;
}

uint64_t profil_address(const struct profil_map *m, uint64_t cell)
{
	const unsigned __int128 bytes = (unsigned __int128)cell * m->size << POINT;

	return m->offset + (uint64_t)((bytes + cell_fraction(m) - 1) / cell_fraction(m));
}
