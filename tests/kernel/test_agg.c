/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The aggregating functions in the kernel: their programs must store the same values in a cell as the interpreter
 * (which tests/unit/test_agg_func.c tests), and many of them in one program must pass the verifier.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation/agg.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/load.h"
#include "engine/host/cpus.h"
#include "ir/interp.h"
#include "tests/lib/agg_cases.h"
#include "tests/lib/kernel.h"

enum { MAXWORDS = 4096, NRANDOM = 300, MANY = 60 };

struct agg_bench {
	struct arena arena;
	struct diags diags;
	struct ir_prog prog;
	const struct agg_func *func;
	struct agg_spec spec;
	uint32_t agg, in;		/* objects */
	struct bpf_image im;
	struct bpf_loaded l;
	int64_t input[2];		/* the interpreter's world */
	int64_t cell[MAXWORDS];
	uint64_t drops;
};

static void *world_mem(void *arg, uint32_t obj)
{
	(void)obj;
	return ((struct agg_bench *)arg)->input;
}

static void *world_cell(void *arg, uint32_t obj, const void *key)
{
	(void)obj, (void)key;
	return ((struct agg_bench *)arg)->cell;
}

static void world_drop(void *arg, enum ir_drop kind)
{
	(void)kind;
	((struct agg_bench *)arg)->drops++;
}

static void show(const struct agg_bench *b)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < b->diags.list.n; i++)
		diag_print(&out, &b->diags.list.v[i], "#", true);
	fputs(buf_str(&out), stdout);
	buf_free(&out);
}

/* A program that adds the value and weight in `in`, `times` times. */
static void bench_build(struct agg_bench *b, unsigned kase, unsigned times)
{
	struct agg_paramarg args[AGG_MAXPARAMS] = { 0 };
	struct ir_obj agg = { .name = "agg", .kind = IR_O_AGG }, in = { .name = "in", .kind = IR_O_GLOBAL, .size = 16 };
	struct ir_builder e = { .prog = &b->prog };

	arena_init(&b->arena, NULL, NULL);
	diags_init(&b->diags, &b->arena);
	ir_prog_init(&b->prog, &b->arena);
	b->func = agg_func_find(agg_cases[kase].name);
	for (unsigned i = 0; i < agg_cases[kase].given; i++)
		args[i] = (struct agg_paramarg){ .is_const = true, .value = agg_cases[kase].p[i] };
	if (b->func->check)
		b->func->check(&b->spec, args, agg_cases[kase].given, (struct loc){ 0 }, &b->diags);
	agg.size = b->func->size(&b->spec);
	b->agg = ir_obj_add(&b->prog, &agg);
	b->in = ir_obj_add(&b->prog, &in);
	e.func = ir_func_add(&b->prog, "run", IR_C_RUN);
	for (unsigned i = 0; i < times; i++) {
		ir_reg cell = ir_emit(&e, IR_CELL0, ir_o(b->agg));
		ir_reg value = ir_emit(&e, IR_LD64, ir_m(b->in, 0)), weight = ir_emit(&e, IR_LD64, ir_m(b->in, 8));

		b->func->update(&e, &b->spec, ir_mc(cell, b->agg, 0), ir_r(value), ir_r(weight));
	}
	ir_emit0(&e, IR_RET);
}

static bool bench_load(struct agg_bench *b)
{
	struct bpf_params par = { .ncpus = cpus_possible(), .aggsize = 1 << 20 };

	if (ir_verify(&b->prog, &b->diags) == 0) {
		ir_optimise(&b->prog);
		if (bpf_generate(&b->im, &b->arena, &b->prog, &par, &b->diags) == 0 &&
		    bpf_load(&b->l, &b->im, &b->diags) == 0)
			return true;
	}
	show(b);
	return false;
}

static void bench_close(struct agg_bench *b)
{
	bpf_unload(&b->l);
	arena_free(&b->arena);
}

/* The cells of all CPUs merged, as this process may have moved. */
static void kernel_cell(const struct agg_bench *b, int64_t *out)
{
	memset(out, 0, b->prog.objs.v[b->agg].size);
	for (unsigned cpu = 0; cpu < b->im.cpuslots; cpu++)
		b->func->merge(&b->spec, out, (const int64_t *)(b->l.data + b->im.off_cells +
			       cpu * b->im.cell_stride + b->im.place[b->agg].off));
}

static bool bench_add(struct agg_bench *b, int64_t value, int64_t weight)
{
	static int64_t got[MAXWORDS];
	struct ir_world w = { .arg = b, .mem = world_mem, .cell = world_cell, .drop = world_drop };
	int64_t *in = bpf_object(&b->l, b->in);
	int err;

	b->input[0] = in[0] = value;
	b->input[1] = in[1] = weight;
	ir_run(&b->prog, b->prog.funcs.v[0], &w);
	err = bpf_run(b->l.progfd[0], -1);
	if (err) {
		printf("# run: %s\n", strerror(-err));
		return false;
	}
	kernel_cell(b, got);
	for (uint32_t i = 0; i < b->prog.objs.v[b->agg].size / 8; i++) {
		if (got[i] != b->cell[i]) {
			printf("# %s(%lld, weight %lld): word %u is %lld in the kernel, %lld in the interpreter\n",
			       b->func->name, (long long)value, (long long)weight, i, (long long)got[i],
			       (long long)b->cell[i]);
			return false;
		}
	}
	return true;
}

static int64_t random_value(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (int64_t)*state >> (*state % 61);
}

static bool same_as_interpreter(unsigned kase)
{
	static const int64_t ends[] = { 0, INT64_MIN, INT64_MAX, INT64_MIN + 1, INT64_MAX - 1 };
	struct agg_bench *b = calloc(1, sizeof *b);
	uint64_t seed = 0x9e3779b97f4a7c15u;
	bool ok;

	bench_build(b, kase, 1);
	ok = bench_load(b);
	for (size_t i = 0; ok && i < sizeof ends / sizeof *ends; i++)
		ok = bench_add(b, ends[i], 1);
	for (unsigned bit = 0; ok && bit < 63; bit++)
		for (int64_t d = -1; ok && d <= 1; d++)
			ok = bench_add(b, (int64_t)(1ull << bit) + d, 3) && bench_add(b, -(int64_t)(1ull << bit) + d,
				-2);
	for (int64_t v = -20; ok && v < 130; v++)
		ok = bench_add(b, v, 1);
	for (int i = 0; ok && i < NRANDOM; i++)
		ok = bench_add(b, random_value(&seed), 7);
	bench_close(b);
	free(b);
	return ok;
}

/* The verifier must accept long scripts. */
static bool many_in_one_program(unsigned kase)
{
	struct agg_bench *b = calloc(1, sizeof *b);
	bool ok;

	bench_build(b, kase, MANY);
	ok = bench_load(b) && bench_add(b, 12345, 1);
	bench_close(b);
	free(b);
	return ok;
}

int main(void)
{
	bool failed = false;

	if (kernel_skip())
		return 0;
	printf("1..%d\n", 2 * NAGG_CASES);
	for (unsigned i = 0; i < 2 * NAGG_CASES; i++) {
		bool many = i >= NAGG_CASES, ok = many ? many_in_one_program(i - NAGG_CASES) : same_as_interpreter(i);

		printf("%s %u - %s, case %u%s\n", ok ? "ok" : "not ok", i + 1, agg_cases[i % NAGG_CASES].name,
		       i % NAGG_CASES, many ? ", many in one program" : "");
		failed |= !ok;
	}
	return failed;
}
