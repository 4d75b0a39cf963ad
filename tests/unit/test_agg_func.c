/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The aggregating functions: what their IR does to a cell, against plain C that knows nothing of it; merging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aggregation/agg.h"
#include "ir/interp.h"
#include "tests/lib/agg_cases.h"

enum { MAXWORDS = 4096, NRANDOM = 3000, NVALUES = 1024 };

/* ---- values ---- */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Of every size, so that each bucket is met. */
static int64_t random_value(uint64_t *state)
{
	uint64_t r = next_random(state);

	return (int64_t)r >> (next_random(state) % 64);
}

/* The edges: 0, powers of two and of ten, each +-1, of both signs, and the ends. */
static size_t edge_values(int64_t *out)
{
	size_t n = 0;

	out[n++] = INT64_MIN;
	out[n++] = INT64_MIN + 1;
	out[n++] = INT64_MAX;
	for (unsigned bit = 0; bit < 63; bit++) {
		for (int64_t d = -1; d <= 1; d++) {
			out[n++] = (int64_t)(1ull << bit) + d;
			out[n++] = -(int64_t)(1ull << bit) + d;
		}
	}
	for (int64_t p = 10; p < INT64_MAX / 10; p *= 10)
		for (int64_t d = -1; d <= 1; d++)
			out[n++] = p + d;
	assert_true(n <= NVALUES);
	return n;
}

/* ---- a program that adds one value ---- */
struct func_bench {
	struct arena mem;
	struct ir_prog prog;
	struct diags diags;
	const struct agg_func *func;
	struct agg_spec spec;
	int64_t in[2];		/* value, weight */
	int64_t cell[MAXWORDS];
	unsigned drops;
};

static void *bench_mem(void *arg, uint32_t obj)
{
	struct func_bench *b = arg;

	(void)obj;
	return b->in;
}

static void *bench_cell(void *arg, uint32_t obj, const void *key)
{
	struct func_bench *b = arg;

	(void)obj;
	assert_null(key);
	return b->cell;
}

static void bench_drop(void *arg, enum ir_drop kind)
{
	struct func_bench *b = arg;

	(void)kind;
	b->drops++;
}

static void show(struct func_bench *b)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < b->diags.list.n; i++)
		diag_print(&out, &b->diags.list.v[i], "test", true);
	if (out.len)
		fail_msg("%s", buf_str(&out));
	buf_free(&out);
}

/* value and weight: registers loaded from memory, or (fixed) immediates. */
static void bench_build(struct func_bench *b, const char *name, const int64_t *fixed)
{
	struct ir_obj agg = { .name = "agg", .kind = IR_O_AGG, .size = b->func->size(&b->spec) };
	struct ir_obj in = { .name = "in", .kind = IR_O_GLOBAL, .size = 16 };
	uint32_t agg_obj = ir_obj_add(&b->prog, &agg), in_obj = ir_obj_add(&b->prog, &in);
	struct ir_builder e = { .prog = &b->prog, .func = ir_func_add(&b->prog, name, IR_C_RUN) };
	ir_reg cell = ir_emit(&e, IR_CELL0, ir_o(agg_obj));
	struct ir_arg value, weight;

	if (fixed) {
		value = ir_i(fixed[0]);
		weight = ir_i(fixed[1]);
	} else {
		value = ir_r(ir_emit(&e, IR_LD64, ir_m(in_obj, 0)));
		weight = ir_r(ir_emit(&e, IR_LD64, ir_m(in_obj, 8)));
	}
	b->func->update(&e, &b->spec, ir_mc(cell, agg_obj, 0), value, weight);
	ir_emit0(&e, IR_RET);
	ir_verify(&b->prog, &b->diags);
	show(b);
}

static void bench_open(struct func_bench *b, const char *name, const int64_t *params, unsigned nparams)
{
	struct agg_paramarg args[AGG_MAXPARAMS] = { 0 };

	memset(b, 0, sizeof *b);
	arena_init(&b->mem, NULL, NULL);
	diags_init(&b->diags, &b->mem);
	ir_prog_init(&b->prog, &b->mem);
	b->func = agg_func_find(name);
	assert_non_null(b->func);
	for (unsigned i = 0; i < nparams; i++)
		args[i] = (struct agg_paramarg){ .is_const = true, .value = params[i] };
	if (b->func->check)
		b->func->check(&b->spec, args, nparams, (struct loc){ 0 }, &b->diags);
	show(b);
	assert_true(b->func->size(&b->spec) <= sizeof b->cell);
	assert_int_equal(b->func->size(&b->spec) % 8, 0);
}

static void bench_close(struct func_bench *b)
{
	arena_free(&b->mem);
}

static void bench_add(struct func_bench *b, int64_t value, int64_t weight)
{
	struct ir_world w = { .arg = b, .mem = bench_mem, .cell = bench_cell, .drop = bench_drop };

	b->in[0] = value;
	b->in[1] = weight;
	ir_run(&b->prog, b->prog.funcs.v[0], &w);
}

/* ---- the reference: what one value does to a cell ---- */
typedef void ref_fn(const int64_t *p, int64_t *cell, int64_t v, int64_t weight);

static void ref_count(const int64_t *p, int64_t *cell, int64_t v, int64_t weight)
{
	(void)p, (void)v;
	cell[0] += weight;
}

static void ref_sum(const int64_t *p, int64_t *cell, int64_t v, int64_t weight)
{
	(void)p;
	cell[0] = (int64_t)((uint64_t)cell[0] + (uint64_t)v * (uint64_t)weight);
}

static void ref_min(const int64_t *p, int64_t *cell, int64_t v, int64_t weight)
{
	uint64_t room = (uint64_t)INT64_MAX - (uint64_t)v;

	(void)p, (void)weight;
	if (room > (uint64_t)cell[0])
		cell[0] = (int64_t)room;
}

static void ref_max(const int64_t *p, int64_t *cell, int64_t v, int64_t weight)
{
	uint64_t room = (uint64_t)v - (uint64_t)INT64_MIN;

	(void)p, (void)weight;
	if (room > (uint64_t)cell[0])
		cell[0] = (int64_t)room;
}

static void ref_avg(const int64_t *p, int64_t *cell, int64_t v, int64_t weight)
{
	ref_count(p, cell, v, weight);
	ref_sum(p, cell + 1, v, weight);
}

static void ref_stddev(const int64_t *p, int64_t *cell, int64_t v, int64_t weight)
{
	unsigned __int128 sq = (unsigned __int128)((__int128)v * v) * (uint64_t)weight;

	ref_avg(p, cell, v, weight);
	sq += (unsigned __int128)(uint64_t)cell[3] << 64 | (uint64_t)cell[2];
	cell[2] = (int64_t)(uint64_t)sq;
	cell[3] = (int64_t)(uint64_t)(sq >> 64);
}

static void ref_quantize(const int64_t *p, int64_t *cell, int64_t v, int64_t weight)
{
	__int128 abs = v < 0 ? -(__int128)v : v, power = 1;
	int steps = 0;

	(void)p;
	while (power <= abs) {		/* steps: how many powers of two are not above abs */
		power *= 2;
		steps++;
	}
	if (steps > 63)
		steps = 63;
	cell[v < 0 ? 63 - steps : 63 + steps] += weight;
}

static void ref_lquantize(const int64_t *p, int64_t *cell, int64_t v, int64_t weight)
{
	int64_t levels = (p[1] - p[0]) / p[2], level = 0;

	if (v < p[0]) {
		cell[0] += weight;
		return;
	}
	while (level < levels && v >= p[0] + (level + 1) * p[2])
		level++;
	cell[level + 1] += weight;
}

/* Walks over all buckets, as a reader of the printed histogram would. */
static void ref_llquantize(const int64_t *p, int64_t *cell, int64_t v, int64_t weight)
{
	__int128 from = 1, next, width;
	unsigned bucket = 1;

	for (int64_t m = 0; m < p[1]; m++)
		from *= p[0];
	if (v < from) {
		cell[0] += weight;
		return;
	}
	for (int64_t m = p[1]; m <= p[2]; m++) {
		next = from * p[0];
		width = next > p[3] ? next / p[3] : 1;
		for (; from < next; from += width, bucket++) {
			if (v < from + width) {
				cell[bucket] += weight;
				return;
			}
		}
	}
	cell[bucket] += weight;
}

static ref_fn *reference(const struct agg_case *c)
{
	static const struct {
		const char *name;
		ref_fn *ref;
	} refs[] = {
		{ "count", ref_count }, { "sum", ref_sum }, { "min", ref_min }, { "max", ref_max }, { "avg", ref_avg },
		{ "stddev", ref_stddev }, { "quantize", ref_quantize }, { "lquantize", ref_lquantize },
		{ "llquantize", ref_llquantize },
	};

	for (size_t i = 0; i < sizeof refs / sizeof refs[0]; i++)
		if (!strcmp(refs[i].name, c->name))
			return refs[i].ref;
	fail_msg("%s() has no reference", c->name);
	return NULL;
}

static void compare_cells(const struct agg_case *k, const struct func_bench *b, const int64_t *want, int64_t v)
{
	uint32_t words = b->func->size(&b->spec) / 8;

	for (uint32_t i = 0; i < words; i++)
		if (b->cell[i] != want[i])
			fail_msg("%s(%lld): word %u is %lld, not %lld", k->name, (long long)v, i,
				 (long long)b->cell[i], (long long)want[i]);
}

/* Each value alone in a fresh cell, so that a wrong bucket cannot hide. */
static void test_each_value(void **state)
{
	static int64_t want[MAXWORDS], values[NVALUES];
	size_t n = edge_values(values);
	struct func_bench b;

	(void)state;
	for (unsigned i = 0; i < NAGG_CASES; i++) {
		for (int optimised = 0; optimised < 2; optimised++) {
			uint64_t seed = 88172645463325252ull;

			bench_open(&b, agg_cases[i].name, agg_cases[i].p, agg_cases[i].given);
			bench_build(&b, "run", NULL);
			if (optimised) {
				ir_optimise(&b.prog);
				ir_verify(&b.prog, &b.diags);
				show(&b);
			}
			for (size_t v = 0; v < n + NRANDOM; v++) {
				int64_t value = v < n ? values[v] : random_value(&seed);
				int64_t weight = v % 3 == 0 ? 1 : v % 3 == 1 ? 1000000007 : 1ll << 32;

				if (v % 3 == 2 && b.func->takes_incr)
					weight = -5;

				memset(b.cell, 0, sizeof b.cell);
				memset(want, 0, sizeof want);
				bench_add(&b, value, weight);
				reference(&agg_cases[i])(agg_cases[i].p, want, value, weight);
				compare_cells(&agg_cases[i], &b, want, value);
			}
			assert_int_equal(b.drops, 0);
			bench_close(&b);
		}
	}
}

/* lquantize's boundaries, every value around them. */
static void test_small_values(void **state)
{
	static int64_t want[MAXWORDS];
	struct func_bench b;

	(void)state;
	for (unsigned i = 0; i < NAGG_CASES; i++) {
		bench_open(&b, agg_cases[i].name, agg_cases[i].p, agg_cases[i].given);
		bench_build(&b, "run", NULL);
		memset(want, 0, sizeof want);
		for (int64_t v = -1100; v <= 4200; v++) {
			bench_add(&b, v, 1);
			reference(&agg_cases[i])(agg_cases[i].p, want, v, 1);
		}
		compare_cells(&agg_cases[i], &b, want, 4200);
		bench_close(&b);
	}
}

/* Constants instead of registers, folded by the optimiser. */
static void test_immediates(void **state)
{
	static const int64_t values[] = { INT64_MIN, -17, -1, 0, 1, 42, 100, 999999, INT64_MAX };
	static int64_t want[MAXWORDS];
	struct func_bench b;

	(void)state;
	for (unsigned i = 0; i < NAGG_CASES; i++) {
		for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
			int64_t fixed[2] = { values[v], 3 };

			bench_open(&b, agg_cases[i].name, agg_cases[i].p, agg_cases[i].given);
			bench_build(&b, "run", fixed);
			ir_optimise(&b.prog);
			memset(want, 0, sizeof want);
			bench_add(&b, 0, 0);
			reference(&agg_cases[i])(agg_cases[i].p, want, fixed[0], fixed[1]);
			compare_cells(&agg_cases[i], &b, want, fixed[0]);
			bench_close(&b);
		}
	}
}

/* Values dealt to several cells, merged in another order: the same as all in one. */
static void test_merge(void **state)
{
	enum { PARTS = 7 };
	static int64_t part[PARTS][MAXWORDS], whole[MAXWORDS], merged[MAXWORDS], edges[NVALUES];
	size_t nedges = edge_values(edges);
	uint64_t seed = 1234567891011ull;
	struct func_bench b;

	(void)state;
	for (unsigned i = 0; i < NAGG_CASES; i++) {
		bench_open(&b, agg_cases[i].name, agg_cases[i].p, agg_cases[i].given);
		for (int round = 0; round < 20; round++) {
			unsigned first = (unsigned)next_random(&seed) % PARTS,
			stride = 1 + next_random(&seed) % (PARTS - 1);

			memset(part, 0, sizeof part);
			memset(whole, 0, sizeof whole);
			memset(merged, 0, sizeof merged);
			for (int v = 0; v < 200; v++) {
				int64_t value = v % 4 ? random_value(&seed) : edges[next_random(&seed) % nedges];

				reference(&agg_cases[i])(agg_cases[i].p, whole, value, 2);
				reference(&agg_cases[i])(agg_cases[i].p, part[next_random(&seed) % PARTS], value, 2);
			}
			for (unsigned k = 0; k < PARTS; k++)	/* PARTS is prime: every part once */
				b.func->merge(&b.spec, merged, part[(first + k * stride) % PARTS]);
			memcpy(b.cell, merged, sizeof merged);
			compare_cells(&agg_cases[i], &b, whole, 0);
		}
		bench_close(&b);
	}
}

/* min() and max() say that they lost a value where the kernel gives up. */
static void test_lost(void **state)
{
	static const char *const names[] = { "min", "max" };
	struct func_bench b;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct ir_func *f;
		unsigned drops = 0;

		bench_open(&b, names[i], NULL, 0);
		bench_build(&b, "run", NULL);
		f = b.prog.funcs.v[0];
		for (size_t k = 0; k < f->blocks.n; k++)
			for (size_t j = 0; j < f->blocks.v[k].ins.n; j++)
				drops += f->blocks.v[k].ins.v[j].op == IR_DROP &&
					 f->blocks.v[k].ins.v[j].arg[0].imm == IR_DROP_AGG;
		assert_int_equal(drops, 1);
		bench_close(&b);
	}
}

/* ---- numbers ---- */
static int64_t number_of(const char *name, const int64_t *values, size_t n, __int128 normal)
{
	struct func_bench b;
	int64_t r;

	bench_open(&b, name, NULL, 0);
	bench_build(&b, "run", NULL);
	for (size_t i = 0; i < n; i++)
		bench_add(&b, values[i], 1);
	r = b.func->number(&b.spec, b.cell, normal);
	bench_close(&b);
	return r;
}

#define NUMBER(name, normal, ...) \
	number_of(name, (int64_t[]){ __VA_ARGS__ }, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), normal)

static void test_numbers(void **state)
{
	(void)state;
	assert_int_equal(NUMBER("count", 1, 9, 9, 9), 3);
	assert_int_equal(NUMBER("count", 2, 9, 9, 9), 1);
	assert_int_equal(NUMBER("sum", 1, 5, -12), -7);
	assert_int_equal(NUMBER("sum", 2, 5, -12), -3);
	assert_int_equal(NUMBER("sum", UINT64_MAX, 5), 0);
	assert_int_equal(NUMBER("sum", -1, 7), -7);
	assert_int_equal(NUMBER("sum", -2, 5, -12), 3);
	assert_int_equal(NUMBER("sum", INT64_MIN, INT64_MIN), 1);
	assert_int_equal(NUMBER("sum", (__int128)1 << 63, INT64_MIN), -1);
	assert_int_equal(NUMBER("count", -2, 9, 9, 9), -1);
	assert_int_equal(NUMBER("min", -3, 12, 20), -4);
	assert_int_equal(NUMBER("max", INT64_MAX, INT64_MAX, 20), 1);
	assert_int_equal(NUMBER("avg", -10, 100, 200, 300), -20);
	assert_int_equal(NUMBER("stddev", -1000, -1000000, 1000000), 1000);
	assert_int_equal(NUMBER("stddev", UINT64_MAX, -1000000, 1000000), 0);
	assert_int_equal(NUMBER("min", 1, 5, -12, 3), -12);
	assert_int_equal(NUMBER("min", 1, INT64_MAX), INT64_MAX);
	assert_int_equal(NUMBER("min", 1, INT64_MIN, 0), INT64_MIN);
	assert_int_equal(NUMBER("max", 1, -5, -12), -5);
	assert_int_equal(NUMBER("max", 1, INT64_MIN), INT64_MIN);
	assert_int_equal(NUMBER("max", 10, 1234, 0), 123);
	assert_int_equal(NUMBER("avg", 1, 1, 2, 4), 2);
	assert_int_equal(NUMBER("avg", 1, -1, -2, -4), -2);
	assert_int_equal(NUMBER("avg", 10, 100, 200, 300), 20);
	assert_int_equal(NUMBER("stddev", 1, 7), 0);
	assert_int_equal(NUMBER("stddev", 1, 2, 4, 4, 4, 5, 5, 7, 9), 2);
	assert_int_equal(NUMBER("stddev", 1, -1000000, 1000000), 1000000);
	assert_int_equal(NUMBER("stddev", 1000, -1000000, 1000000), 1000);
	assert_int_equal(NUMBER("stddev", 1, INT64_MIN, INT64_MAX), INT64_MAX);
	assert_int_equal(NUMBER("stddev", 1, INT64_MIN, INT64_MIN), INT64_MAX);	/* the sum wrapped to 0 */
}

/* A cell to which nothing was added. */
static void test_empty(void **state)
{
	static const int64_t zero[MAXWORDS];

	(void)state;
	for (unsigned i = 0; agg_funcs[i]; i++) {
		struct agg_spec s = { 0 };
		int64_t want = !strcmp(agg_funcs[i]->name, "min") ? INT64_MAX :
			       !strcmp(agg_funcs[i]->name, "max") ? INT64_MIN : 0;

		assert_true(!agg_funcs[i]->number != !agg_funcs[i]->histogram);
		if (agg_funcs[i]->number)
			assert_int_equal(agg_funcs[i]->number(&s, zero, 1), want);
		assert_ptr_equal(agg_func_find(agg_funcs[i]->name), agg_funcs[i]);
	}
	assert_null(agg_func_find("median"));
	assert_null(agg_func_find(""));
}

/* ---- order ---- */
static int order_of(const char *name, const int64_t *params, unsigned n, const int64_t *a, size_t na, const int64_t *b,
		    size_t nb)
{
	static int64_t cell[MAXWORDS];
	struct func_bench x;
	int r;

	bench_open(&x, name, params, n);
	bench_build(&x, "run", NULL);
	for (size_t i = 0; i < na; i++)
		bench_add(&x, a[i], 1);
	memcpy(cell, x.cell, sizeof cell);
	memset(x.cell, 0, sizeof x.cell);
	for (size_t i = 0; i < nb; i++)
		bench_add(&x, b[i], 1);
	r = x.func->compare(&x.spec, cell, x.cell);
	assert_int_equal(x.func->compare(&x.spec, x.cell, cell), -r);
	assert_int_equal(x.func->compare(&x.spec, cell, cell), 0);
	bench_close(&x);
	return r;
}

#define VALUES(...) (int64_t[]){ __VA_ARGS__ }, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)

static void test_order(void **state)
{
	static const int64_t lq[] = { 0, 100, 10 }, around[] = { -5, 5, 1 }, llq[] = { 10, 0, 3, 10 };

	(void)state;
	assert_int_equal(order_of("count", NULL, 0, VALUES(9, 9), VALUES(1, 1, 1)), -1);
	assert_int_equal(order_of("sum", NULL, 0, VALUES(-9), VALUES(1)), -1);
	assert_int_equal(order_of("min", NULL, 0, VALUES(-9), VALUES(1)), -1);
	assert_int_equal(order_of("max", NULL, 0, VALUES(INT64_MIN), VALUES(INT64_MAX)), -1);
	assert_int_equal(order_of("avg", NULL, 0, VALUES(100, 0, 0), VALUES(50)), -1);
	assert_int_equal(order_of("stddev", NULL, 0, VALUES(1000, 1000), VALUES(1, 3)), -1);
	/* histograms: the sum of the values, then how often 0 was met */
	assert_int_equal(order_of("quantize", NULL, 0, VALUES(1, 1, 1), VALUES(1024)), -1);
	assert_int_equal(order_of("quantize", NULL, 0, VALUES(-4), VALUES(0)), -1);
	assert_int_equal(order_of("quantize", NULL, 0, VALUES(5, 0), VALUES(4, 0, 0)), -1);
	assert_int_equal(order_of("lquantize", lq, 3, VALUES(15, 15), VALUES(95)), -1);
	assert_int_equal(order_of("lquantize", lq, 3, VALUES(-1000), VALUES(5)), -1);
	assert_int_equal(order_of("lquantize", lq, 3, VALUES(99), VALUES(100)), -1);
	assert_int_equal(order_of("lquantize", around, 3, VALUES(1, -1), VALUES(0)), -1);
	assert_int_equal(order_of("llquantize", llq, 4, VALUES(1, 1), VALUES(5)), -1);
	assert_int_equal(order_of("llquantize", llq, 4, VALUES(9999), VALUES(10000, 1)), -1);
	assert_int_equal(order_of("llquantize", llq, 4, VALUES(3), VALUES(0, 3)), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_value), cmocka_unit_test(test_small_values),
		cmocka_unit_test(test_immediates), cmocka_unit_test(test_merge), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_empty), cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
