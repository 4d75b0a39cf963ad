/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packed unwinding tables: what the kernel's walker finds for an address must be the rule of the row that contains it,
 * for files of this machine and for hand-made tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "tests/lib/cfimake.h"
#include "tests/lib/filerows.h"
#include "tests/lib/random.h"
#include "tests/lib/walker.h"

#define BASE 0x7f0000000000ull
enum { EACH = 50000, PIECE = 1 << PACK_PIECE_BITS };	/* rows looked up in a file, about */

/* ---- comparing ---- */
struct looked {
	struct walker *w;
	struct file_rows eh, debug;
	const char *name;
	uint64_t n, random;
};

static void look(struct looked *l, uint64_t at)
{
	const struct file_rows *from = &l->eh;
	const struct cfi_row *row = file_rows_find(from, at);
	struct unwind_bpf_rule want = { .kind = UNWIND_NONE };
	const struct unwind_bpf_rule *got;
	uint64_t number;

	if (!row)
		row = file_rows_find(from = &l->debug, at);
	if (row)
		want = rule_of_row(&from->source.section, &row->rules);
	number = unwind_rule(l->w->slot[0], BASE + at);
	assert_true(number < UNWIND_RULES);
	got = &map_unwind.rule[number];
	l->n++;
	if (got->kind != want.kind || (want.kind != UNWIND_OTHER && memcmp(got, &want, sizeof want)))
		fail_msg("%s: 0x%llx: rule of kind %u, not %u", l->name, (unsigned long long)at, got->kind,
			 want.kind);
}

static void look_rows(struct looked *l, const struct file_rows *r)
{
	size_t step = r->n / EACH + 1;

	for (size_t i = step > 1 ? random_below(&l->random, step) : 0; i < r->n; i += step) {
		const struct cfi_row *e = &r->v[i];

		look(l, e->begin);
		look(l, e->begin - (e->begin > 0));
		look(l, e->end - 1);
		look(l, e->end);
		look(l, e->begin + random_below(&l->random, e->end - e->begin));
	}
}

/* The first and last bytes of pages and pieces, those before and after all rows, too. */
static void look_edges(struct looked *l, uint64_t first, uint64_t last)
{
	uint64_t begin = first << PACK_PIECE_BITS, end = (last + 1) << PACK_PIECE_BITS, step = UNWIND_PAGE;

	while ((end - begin) / step > EACH)
		step *= 2;
	for (uint64_t at = begin; at < end; at += step) {
		look(l, at);
		look(l, at + UNWIND_PAGE - 1);
	}
}

/* Compares look-ups in a file; returns false if it has no tables. arg: its name; NULL: the path. */
static bool object_look(struct object *o, void *arg)
{
	struct walker *w = walker_open();
	struct looked l = { .w = w, .name = arg ? arg : o->path, .random = 1 };
	uint64_t begun = clock_now(), took, first, last;
	struct pack k;
	bool any = pack_file(&k, o, &w->rules);

	took = clock_now() - begun;
	if (any) {
		file_rows_read(&l.eh, o, true);
		file_rows_read(&l.debug, o, false);
		first = k.v[0].at >> PACK_PIECE_BITS;
		last = k.v[k.n - 1].at >> PACK_PIECE_BITS;
		walker_add(w, &k, first << PACK_PIECE_BITS, (last + 1) << PACK_PIECE_BITS, BASE);
		walker_publish(w);
		look_rows(&l, &l.eh);
		look_rows(&l, &l.debug);
		look_edges(&l, first, last);
		printf("# %s: %zu rows of %zu, %u rules, %llu KB in the kernel, %.1f ms; %llu look-ups\n", l.name, k.n,
		       l.eh.n + l.debug.n, w->rules.n,
		       (unsigned long long)((w->nchunks - 1) * 1024ull + w->used / 1024), (double)took / 1e6,
		       (unsigned long long)l.n);
		file_rows_free(&l.eh);
		file_rows_free(&l.debug);
	}
	assert_false(k.nomem);
	pack_close(&k);
	walker_close(w);
	return any;
}

/* ---- files of this machine ---- */
static void test_installed(void **state)
{
	(void)state;
	assert_true(file_visit("/proc/self/exe", object_look, NULL));
	files_visit("/usr/bin/{bash,python3.*}", object_look, NULL);
	files_visit("/usr/lib/*-linux-gnu/{lib{c,crypto,stdc++,python3.*}.so.[0-9]*,ld-linux*.so.[0-9]*}", object_look,
		    NULL);
}

static void test_vdso(void **state)
{
	struct object *o = object_new("[vdso]", 0, 0);

	(void)state;
	assert_non_null(o);
	object_vdso(o);
	assert_true(object_look(o, NULL));
	object_free(o);
}

static void test_32_bits(void **state)
{
	(void)state;
	if (!files_visit("/{lib32,usr/lib/i386-linux-gnu}/{libc.so.6,libm.so.6,ld-linux.so.2}", object_look, NULL)) {
		printf("# no 32-bit libraries are installed\n");
		skip();
	}
}

/* ---- hand-made tables ---- */
enum { SP = 7, FP = 6 };

struct made_function {
	uint32_t begin, size, cfa;	/* cfa: its offset from the stack pointer; 0 ends a list */
};

static void functions_put(struct buf *b, bool eh_frame, const struct made_function *f)
{
	cie_put(b, eh_frame, 64);
	for (; f->cfa; f++) {
		const uint8_t prog[] = { DW_CFA_def_cfa_offset, (uint8_t)f->cfa };

		fde_put(b, eh_frame, 64, f->begin, f->size, prog, sizeof prog);
	}
}

static void made_look(const struct made_function *eh, const struct made_function *debug, char *name)
{
	struct buf first = { 0 }, second = { 0 }, file = { 0 };
	struct object *o;

	functions_put(&first, true, eh);
	functions_put(&second, false, debug);
	o = object_make(&file, &first, &second, 64);
	assert_true(object_look(o, name));
	object_free(o);
	buf_free(&first);
	buf_free(&second);
	buf_free(&file);
}

static void test_edges(void **state)
{
	static const struct made_function none[] = { { 0 } }, edges[] = {
		{ 0x1000, 256, 16 }, { 0x1100, 1, 24 }, { 0x11ff, 1, 32 }, { 0x1200, 0x100, 40 }, { 0x1300, 3, 48 },
		/* across pieces, over whole pieces, to the end of one, at the beginning of one */
		{ PIECE - 8, 16, 16 }, { PIECE + 0x800, 3 * PIECE, 24 }, { 6 * PIECE - 256, 256, 32 },
		{ 7 * PIECE, 1, 40 }, { 8 * PIECE - 1, 2, 48 }, { 0 },
	};

	(void)state;
	made_look(edges, none, "edges");
	made_look(none, edges, "edges in .debug_frame");
}

/* A page in which each byte has a row of its own. */
static void test_full_page(void **state)
{
	static const struct made_function none[] = { { 0 } };
	struct made_function full[UNWIND_PAGE + 1] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < UNWIND_PAGE; i++)
		full[i] = (struct made_function){ 0x1000 + i, 1, 8 + i % 100 };
	made_look(full, none, "a full page");
}

static void test_both_sections(void **state)
{
	static const struct made_function eh[] = {
		{ 0x1000, 64, 16 }, { 0x1050, 16, 24 }, { 0x1060, 16, 32 }, { 0x1100, 256, 16 }, { 0x3000, 16, 16 },
		{ 0x4000, 16, 16 }, { 0x4020, 16, 24 }, { 0x4040, 16, 32 }, { 0 },
	}, debug[] = {
		{ 0x800, 16, 40 }, { 0x1000, 80, 48 }, { 0x1060, 32, 56 }, { 0x1180, 0x100, 64 }, { 0x2000, 16, 72 },
		{ 0x2ff0, 0x40, 80 },			/* around one */
		{ 0x4008, 0x100, 88 },			/* around several */
		{ 0 },
	};

	(void)state;
	made_look(eh, debug, "both sections");
	made_look(debug, eh, "both sections, exchanged");
}

/* Functions that linkers removed begin near 0 and may be large. */
static void test_overlap(void **state)
{
	static const struct made_function none[] = { { 0 } }, over[] = {
		{ 8, 0x5000, 16 }, { 0x1000, 64, 24 }, { 0x1020, 64, 32 }, { 0x2000, 0x1000, 40 }, { 0x2f00, 0x10, 48 },
		{ 0 },
	};
	static const uint32_t cfa[][2] = { { 0x10, 16 }, { 0xfff, 16 }, { 0x1000, 24 }, { 0x101f, 24 }, { 0x1020, 32 },
		{ 0x105f, 32 }, { 0x2000, 40 }, { 0x2eff, 40 }, { 0x2f00, 48 }, { 0x2f0f, 48 } };
	struct buf eh = { 0 }, debug = { 0 }, file = { 0 };
	struct walker *w = walker_open();
	struct object *o;
	struct pack k;

	(void)state;
	functions_put(&eh, true, over);
	functions_put(&debug, false, none);
	o = object_make(&file, &eh, &debug, 64);
	assert_true(pack_file(&k, o, &w->rules));
	for (size_t i = 1; i < k.n; i++)
		assert_true(k.v[i - 1].at < k.v[i].at);
	walker_add(w, &k, 0, PIECE, BASE);
	walker_publish(w);
	for (size_t i = 0; i < sizeof cfa / sizeof *cfa; i++)
		assert_int_equal(map_unwind.rule[unwind_rule(w->slot[0], BASE + cfa[i][0])].off, cfa[i][1]);
	pack_close(&k);
	object_free(o);
	walker_close(w);
	buf_free(&eh);
	buf_free(&debug);
	buf_free(&file);
}

/* ---- rules ---- */
static struct unwind_bpf_rule rule_made(const uint8_t *prog, size_t n)
{
	struct buf eh = { 0 }, none = { 0 }, file = { 0 };
	struct file_rows r;
	struct unwind_bpf_rule rule;
	struct object *o;

	cie_put(&eh, true, 64);
	fde_put(&eh, true, 64, 0x1000, 64, prog, n);
	o = object_make(&file, &eh, &none, 64);
	file_rows_read(&r, o, true);
	assert_int_equal(r.n, 1);
	rule = rule_of_row(&r.source.section, &r.v[0].rules);
	file_rows_free(&r);
	object_free(o);
	buf_free(&eh);
	buf_free(&file);
	return rule;
}
#define RULE(...) rule_made((const uint8_t[]){ __VA_ARGS__ }, sizeof (uint8_t[]){ __VA_ARGS__ })

/* Functions that align their stack: the CFA depends on another register, or is in memory, and registers were saved
 * below the frame pointer or before the alignment. */
static void test_aligned(void **state)
{
	struct unwind_bpf_rule r = RULE(DW_CFA_def_cfa, 10, 0, DW_CFA_expression, FP, 2, DW_OP_breg6, 0);

	(void)state;
	assert_int_equal(r.kind, UNWIND_CFA);
	assert_int_equal(r.reg, 10);
	assert_int_equal(r.saved[0], 1);
	r = RULE(DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x68, DW_OP_deref, DW_CFA_expression, FP, 2, DW_OP_breg6, 0,
		 DW_CFA_expression, 3, 2, DW_OP_breg6, 0x58, DW_CFA_offset | 13, 2);
	assert_int_equal(r.kind, UNWIND_DEREF);
	assert_int_equal(r.off, -24);
	assert_int_equal(r.saved[0], 1);
	assert_int_equal(r.saved[1], -40 + 1);
	assert_int_equal(r.saved[3], -16);
	assert_int_equal(r.saved[5], UNWIND_SAME);
	/* an odd place, and another register */
	assert_int_equal(RULE(DW_CFA_expression, FP, 2, DW_OP_breg6, 1).kind, UNWIND_OTHER);
	assert_int_equal(RULE(DW_CFA_expression, FP, 2, DW_OP_breg3, 0).kind, UNWIND_OTHER);
}

static void test_drop(void **state)
{
	struct unwind_bpf_rule r = RULE(DW_CFA_expression, 3, 3, DW_OP_drop, DW_OP_breg6, 8);

	(void)state;
	assert_int_equal(r.kind, UNWIND_CFA);
	assert_int_equal(r.saved[1], 8 + 1);
	assert_int_equal(RULE(DW_CFA_expression, 3, 1, DW_OP_drop).kind, UNWIND_OTHER);
	/* nothing to drop */
	r = RULE(DW_CFA_def_cfa_expression, 4, DW_OP_drop, DW_OP_breg6, 8, DW_OP_deref);
	assert_int_equal(r.kind, UNWIND_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_installed), cmocka_unit_test(test_vdso), cmocka_unit_test(test_32_bits),
		cmocka_unit_test(test_edges), cmocka_unit_test(test_full_page),
		cmocka_unit_test(test_both_sections), cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_aligned), cmocka_unit_test(test_drop),
	};

	if (!machine_of(64)) {
		printf("1..0 # SKIP unwinding is for x86-64 so far\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
