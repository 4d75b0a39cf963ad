/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The packed form of untrusted unwinding tables. Bits of the first byte: .eh_frame, else .debug_frame; 32-bit
 * addresses; the other six: how much is in the other section. Rows ascend and have valid rules; tables of pieces have
 * the size that was announced, and each look-up in one stays within it and finds the row.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/unwind/frame.h"
#include "engine/unwind/pack.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/cfimake.h"

enum { EH_FRAME = 1, BITS_32 = 2, OTHER = 2, OTHERS = 63, MOST_PIECES = 8, WORD = 5 };

/* The rule of an address in a piece, in a table that begins with word WORD. */
static uint32_t table_find(const uint32_t *table, struct pack_size size, uint64_t off)
{
	uint64_t page = off >> UNWIND_PAGE_BITS;
	uint32_t row, end;

	if (page >= size.pages)
		return RULES_NONE;
	row = table[page] - WORD;
	end = table[page + 1] - WORD;
	FUZZ_CHECK(row > size.pages + 1 && row <= end && end <= size.words, "rows %u to %u", row, end);
	FUZZ_CHECK(end - row <= UNWIND_PAGE, "%u rows in a page", end - row);
	while (row < end && table[row] >> 24 <= (off & (UNWIND_PAGE - 1)))
		row++;
	return table[row - 1] & 0xffffff;
}

static void piece_check(const struct pack *p, uint64_t number, size_t first)
{
	struct pack_size size = pack_size(p, number);
	uint64_t begin = number << PACK_PIECE_BITS, end = begin + (1 << PACK_PIECE_BITS) - 1;
	uint32_t *table = size.words ? malloc(size.words * sizeof *table) : NULL;

	FUZZ_CHECK(size.pages <= PACK_PAGES, "%u pages", size.pages);
	FUZZ_CHECK(size.words, "a piece with rows has no table");
	if (!table)
		return;
	pack_piece(p, number, size.pages, WORD, table);
	FUZZ_CHECK(table_find(table, size, 0) == (p->v[first].at == begin ? p->v[first].rule :
		   first ? p->v[first - 1].rule : RULES_NONE), "the beginning of a piece");
	for (size_t i = first; i < p->n && p->v[i].at <= end; i++) {
		uint64_t last = i + 1 < p->n && p->v[i + 1].at <= end ? p->v[i + 1].at - 1 : end;

		FUZZ_CHECK(table_find(table, size, p->v[i].at - begin) == p->v[i].rule, "the beginning of a row");
		FUZZ_CHECK(table_find(table, size, last - begin) == p->v[i].rule, "the end of a row");
	}
	free(table);
}

static void rows_check(const struct pack *p, const struct rules *r)
{
	unsigned pieces = 0;

	for (size_t i = 0; i < p->n; i++) {
		uint64_t number = p->v[i].at >> PACK_PIECE_BITS;

		FUZZ_CHECK(p->v[i].rule < r->n, "rule %u", p->v[i].rule);
		FUZZ_CHECK(!i || p->v[i - 1].at < p->v[i].at, "rows do not ascend");
		FUZZ_CHECK(!i || p->v[i - 1].rule != p->v[i].rule, "rows are the same");
		if ((!i || p->v[i - 1].at >> PACK_PIECE_BITS != number) && pieces++ < MOST_PIECES)
			piece_check(p, number, i);
	}
	FUZZ_CHECK(!p->n || p->v[p->n - 1].rule == RULES_NONE, "the last row has no end");
}

/* What the walker relies on. */
static void rule_check(const struct unwind_bpf_rule *r)
{
	FUZZ_CHECK(r->kind < UNWIND_NKINDS, "kind %u", r->kind);
	FUZZ_CHECK(r->reg < UNWIND_REGS, "register %u", r->reg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size > 1 ? (size - 1) * (OTHERS - (data[0] >> OTHER)) / OTHERS : 0;
	struct buf eh = { 0 }, debug = { 0 }, file = { 0 };
	struct unwind_bpf_rule *v = calloc(UNWIND_RULES, sizeof *v);
	struct object *o;
	struct rules r;
	struct pack p;

	if (size > 1 && machine_of(64) && v && rules_open(&r, v)) {
		buf_put(data[0] & EH_FRAME ? &eh : &debug, data + 1, n);
		buf_put(data[0] & EH_FRAME ? &debug : &eh, data + 1 + n, size - 1 - n);
		o = object_make(&file, &eh, &debug, data[0] & BITS_32 ? 32 : 64);
		pack_file(&p, o, &r);
		FUZZ_CHECK(!p.nomem && p.n <= 4 * size, "%zu rows", p.n);
		rows_check(&p, &r);
		for (uint32_t i = RULES_FIRST; i < r.n; i++)
			rule_check(&v[i]);
		pack_close(&p);
		rules_close(&r);
		object_free(o);
	}
	free(v);
	buf_free(&eh);
	buf_free(&debug);
	buf_free(&file);
	return 0;
}
