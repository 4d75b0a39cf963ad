/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Row tables in the kernel: each key of each family (tests/lib/rowkeys.h) is exactly in the row where the hash puts it,
 * or in the hash map if its rows are taken, and the snapshot has each key once with its count. So what
 * tests/unit/test_rows finds out about the hash is true for the programs.
 */
#include <bpf/bpf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation/agg.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/code/rows.h"
#include "engine/bpf/load/load.h"
#include "engine/bpf/snapshot.h"
#include "engine/host/cpus.h"
#include "ir/ir.h"
#include "tests/lib/kernel.h"
#include "tests/lib/rowkeys.h"

enum { KEYS = 600, TIMES = 2 };
enum { IN, AGG };	/* objects of the program */

struct rows_bench {
	struct arena arena;
	struct diags diags;
	struct ir_prog prog;
	struct bpf_image im;
	struct bpf_loaded l;
	uint64_t row[4096][ROW_KEY_WORDS];	/* where the keys should be */
	bool used[4096];
	uint64_t inserted, missed;
	unsigned keys;			/* different ones */
	uint64_t seen[KEYS][ROW_KEY_WORDS];
};

static void show(const struct rows_bench *b)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < b->diags.list.n; i++)
		diag_print(&out, &b->diags.list.v[i], "#", true);
	fputs(buf_str(&out), stdout);
	buf_free(&out);
}

/* A program that adds 1 to the row of the key in `in`. */
static bool bench_open(struct rows_bench *b, uint32_t keysize, uint32_t table, uint64_t seed)
{
	struct bpf_params par = { .ncpus = cpus_possible(), .aggsize = 1 << 20, .table = table, .tables = 64 << 20,
				  .seed = seed };
	struct source src = { .name = "rows.ir" };

	arena_init(&b->arena, NULL, NULL);
	diags_init(&b->diags, &b->arena);
	ir_prog_init(&b->prog, &b->arena);
	src.text = arena_printf(&b->arena, "obj in global size=%d\nobj agg agg key=%u size=8\nobj key temp size=%u\n"
				"func run run {\nb0:\n	copy [key+0], [in+0], %u\n	r1 = cell agg, [key+0]\n"
				"	beq r1, 0 -> b2, b1\nb1:\n	r2 = xadd [r1:agg+0], 1\n	jmp -> b2\n"
				"b2:\n	ret\n}\n", ROW_KEY_WORDS * 8, keysize, keysize, keysize);
	src.len = strlen(src.text);
	if (!ir_parse(&b->prog, &src, &b->diags) && !ir_verify(&b->prog, &b->diags) &&
	    !bpf_generate(&b->im, &b->arena, &b->prog, &par, &b->diags) && !bpf_load(&b->l, &b->im, &b->diags))
		return true;
	show(b);
	return false;
}

static void bench_close(struct rows_bench *b)
{
	bpf_unload(&b->l);
	arena_free(&b->arena);
}

/* Does what the program should do. */
static void expect(struct rows_bench *b, const uint64_t *w, uint32_t rows, uint64_t seed)
{
	uint32_t first = rows ? row_first(seed, w, b->prog.objs.v[AGG].keysize, rows) : 0;

	for (uint32_t k = 0; rows && k < ROW_PROBES; k++) {
		uint32_t at = (first + k) % rows;

		if (!b->used[at]) {
			b->used[at] = true;
			b->inserted++;
			memcpy(b->row[at], w, sizeof b->row[at]);
		}
		if (!memcmp(b->row[at], w, sizeof b->row[at]))
			return;
	}
	b->missed++;
}

static void see(struct rows_bench *b, const uint64_t *w)
{
	for (unsigned i = 0; i < b->keys; i++)
		if (!memcmp(b->seen[i], w, sizeof b->seen[i]))
			return;
	memcpy(b->seen[b->keys++], w, sizeof b->seen[0]);
}

static bool fire(struct rows_bench *b, const struct row_family *f, uint64_t seed)
{
	uint32_t rows = b->im.place[AGG].rows;
	uint64_t w[ROW_KEY_WORDS];

	for (unsigned i = 0; i < KEYS * TIMES; i++) {
		memset(w, 0, sizeof w);
		f->key(w, i % KEYS);
		expect(b, w, rows, seed);
		see(b, w);
		memcpy(bpf_object(&b->l, IN), w, sizeof w);
		if (bpf_run(b->l.progfd[0], -1))
			return false;
	}
	return true;
}

/* The table of this CPU is exactly as expected. */
static bool table_right(const struct rows_bench *b)
{
	const struct ir_obj *o = &b->prog.objs.v[AGG];
	const struct bpf_place *pl = &b->im.place[AGG];
	const uint8_t *table = b->l.data + b->im.off_cells + pl->off +
			       (size_t)b->im.cell_stride * (unsigned)sched_getcpu();
	const struct row_head *head = (const struct row_head *)(table - ROW_HEAD);
	bool ok = !pl->rows || (head->used == b->inserted && head->missed == b->missed);

	for (uint32_t i = 0; ok && i < pl->rows; i++) {
		const uint64_t *row = (const uint64_t *)(table + (size_t)i * rows_size(o));

		ok = row_used(row) == b->used[i] && (!b->used[i] || !memcmp(row + 1, b->row[i], o->keysize));
	}
	return ok;
}

/* Each key is in the snapshot once; the counts add up to all firings. */
static bool snapshot_right(struct rows_bench *b)
{
	uint32_t keysize = b->prog.objs.v[AGG].keysize;
	struct agg_desc desc = { .name = "agg", .obj = AGG, .func = agg_func_find("count"), .keysize = keysize,
				 .rawsize = keysize, .valsize = 8 };
	struct agg_table t;
	uint64_t sum = 0;
	bool ok;

	agg_table_init(&t, &desc);
	ok = !snapshot_read(&b->l, &t, 0, NULL) && t.n == b->keys;
	for (size_t i = 0; i < t.n; i++)
		sum += (uint64_t)t.rows[i].value[0];
	agg_table_free(&t);
	return ok && sum == KEYS * TIMES;
}

static bool one(const struct row_family *f, uint32_t table, uint64_t seed)
{
	struct rows_bench *b = calloc(1, sizeof *b);
	bool ok = bench_open(b, f->words * 8, table, seed) && fire(b, f, seed) && table_right(b) && snapshot_right(b);

	if (!ok)
		printf("# %s, %u bytes, seed %llu: %llu keys without a row\n", f->name, table,
		       (unsigned long long)seed, (unsigned long long)b->missed);
	bench_close(b);
	free(b);
	return ok;
}

int main(void)
{
	static const uint32_t tables[] = { 0, 128, 4096, 64 << 10, 256 << 10 };
	cpu_set_t here;
	unsigned n = 0;
	bool all = true;

	if (kernel_skip())
		return 0;
	CPU_ZERO(&here);
	CPU_SET((unsigned)sched_getcpu(), &here);
	sched_setaffinity(0, sizeof here, &here);
	for (const struct row_family *f = row_families; f->name; f++) {
		bool ok = true;

		for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
			ok &= one(f, tables[i], 0x9876543210abcdef * (n + 1) + i);
		printf("%sok %u - %s: every key is where the hash puts it, and in the snapshot\n", ok ? "" : "not ",
		       ++n, f->name);
		all &= ok;
	}
	printf("1..%u\n", n);
	return !all;
}
