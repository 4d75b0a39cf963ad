/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/output/gmon/profil_cells.c: the mapping of profil(2), and its example in a book about UNIX. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/output/gmon/profil_cells.h"

static uint64_t cell_of(const struct profil_map *m, uint64_t pc)
{
	uint64_t cell;

	assert_true(profil_cell(m, pc, &cell));
	return cell;
}

/* Cells of 4 bytes, scale 0xffff: a function of 12 bytes at 204 has cells 51, 52, 53, the next one 54, 55, 56. */
static void test_example(void **state)
{
	const struct profil_map m = { .offset = 0x400, .scale = 0xffff, .size = 4, .cells = 57 };
	uint64_t cell;

	(void)state;
	for (unsigned i = 0; i < 24; i++)
		assert_int_equal(cell_of(&m, 0x400 + 204 + i), 51 + i / 4);
	assert_int_equal(cell_of(&m, 0x400), 0);
	assert_int_equal(cell_of(&m, 0x400 + 203), 50);
	assert_false(profil_cell(&m, 0x400 + 204 + 24, &cell));
	assert_false(profil_cell(&m, 0x3ff, &cell));
}

/* 0xffff: one word in a cell; 0x7fff: two; 0x3fff: four; 0x8000 is the same as 0x7fff. */
static void test_scales(void **state)
{
	static const struct {
		uint32_t scale;
		uint64_t bytes;		/* of code in a cell of 4 bytes */
	} rows[] = {
		{ 0xffff, 4 }, { 0x7fff, 8 }, { 0x8000, 8 }, { 0x3fff, 16 }, { 0x4000, 16 }, { 0x1fff, 32 },
		{ 3, 0x10000 }, { 4, 0x10000 }, { 2, 0x20000 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct profil_map m = { .offset = 16, .scale = rows[i].scale, .size = 4, .cells = 1000 };
		const struct profil_map half = { .offset = 16, .scale = rows[i].scale, .size = 2, .cells = 1000 };

		for (unsigned k = 0; k < 5; k++) {
			assert_int_equal(cell_of(&m, 16 + k * rows[i].bytes), k);
			assert_int_equal(cell_of(&m, 16 + (k + 1) * rows[i].bytes - 1), k);
			assert_int_equal(cell_of(&half, 16 + k * rows[i].bytes), 2 * k);
			assert_int_equal(profil_address(&m, k), 16 + k * rows[i].bytes);
		}
	}
}

/* A fraction that is not a power of two; the first address of each cell; the ends of the address space. */
static void test_any(void **state)
{
	const struct profil_map m = { .offset = 1000, .scale = 0xaaaa, .size = 4, .cells = UINT64_MAX };
	uint64_t cell;

	(void)state;
	assert_int_equal(cell_of(&m, 1000 + 6), 3 * 0xaaaa * 2 / 65536 / 4);
	for (uint64_t i = 1; i < 1000; i++) {
		assert_int_equal(cell_of(&m, profil_address(&m, i)), i);
		assert_int_equal(cell_of(&m, profil_address(&m, i) - 1), i - 1);
	}
	assert_true(profil_cell(&m, UINT64_MAX, &cell));
	assert_true(cell == (uint64_t)((unsigned __int128)(UINT64_MAX - 1000) * 0xaaaa / 65536 / 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example), cmocka_unit_test(test_scales), cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
