/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* lquantize() and llquantize(): which parameters are refused, under which tag; which are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "aggregation/agg.h"
#include "tests/lib/agg_cases.h"

enum { VARIABLE = -1 };	/* in `variable`: every parameter is a constant */

static const struct {
	const char *func;
	int64_t p[4];
	unsigned n;
	int variable;		/* the number of the parameter that is no constant */
	enum diag_tag tag;
	uint32_t col;		/* where the message points: parameter i stands in column 10 * (i + 1), the call in 1 */
	const char *text;	/* part of the message */
} cases[] = {
	{ "lquantize", { 0, 100, 10 }, 3, 0, D_LQUANT_BASETYPE, 10, "argument 2 (base) must be an integer constant" },
	{ "lquantize", { 0, 100, 10 }, 3, 1, D_LQUANT_LIMTYPE, 20, "argument 3 (limit)" },
	{ "lquantize", { 0, 100, 10 }, 3, 2, D_LQUANT_STEPTYPE, 30, "argument 4 (step)" },
	{ "lquantize", { INT32_MIN - 1ll, 100 }, 2, VARIABLE, D_LQUANT_BASEVAL, 10, "-2147483648" },
	{ "lquantize", { INT32_MAX + 1ll, 100 }, 2, VARIABLE, D_LQUANT_BASEVAL, 10, "2147483647" },
	{ "lquantize", { 0, INT32_MAX + 1ll }, 2, VARIABLE, D_LQUANT_LIMVAL, 20, "2147483647" },
	{ "lquantize", { INT64_MIN, 100 }, 2, VARIABLE, D_LQUANT_BASEVAL, 10, "argument 2" },
	{ "lquantize", { 0, 100, 0 }, 3, VARIABLE, D_LQUANT_STEPTYPE, 30, "non-zero positive" },
	{ "lquantize", { 0, 100, -1 }, 3, VARIABLE, D_LQUANT_STEPTYPE, 30, "non-zero positive" },
	{ "lquantize", { 0, 100000, 65536 }, 3, VARIABLE, D_LQUANT_STEPVAL, 30, "from 1 to 65535" },
	{ "lquantize", { 100, 0, 10 }, 3, VARIABLE, D_LQUANT_MISMATCH, 20, "limit 0 is below the base 100" },
	{ "lquantize", { 5, 5 }, 2, VARIABLE, D_LQUANT_STEPLARGE, 1, "step 1 is larger than the range of 0" },
	{ "lquantize", { 0, 100, 101 }, 3, VARIABLE, D_LQUANT_STEPLARGE, 30,
	  "step 101 is larger than the range of 100" },
	{ "lquantize", { 0, 4095 }, 2, VARIABLE, D_LQUANT_STEPSMALL, 1, "4095 levels, the maximum is 4094" },
	{ "lquantize", { INT32_MIN, INT32_MAX, 2 }, 3, VARIABLE, D_LQUANT_STEPSMALL, 30, "2147483647 levels" },

	{ "llquantize", { 10, 0, 6, 20 }, 4, 0, D_LLQUANT_FACTORTYPE, 10, "argument 2 (factor)" },
	{ "llquantize", { 10, 0, 6, 20 }, 4, 1, D_LLQUANT_LOWTYPE, 20, "argument 3 (low magnitude)" },
	{ "llquantize", { 10, 0, 6, 20 }, 4, 2, D_LLQUANT_HIGHTYPE, 30, "argument 4 (high magnitude)" },
	{ "llquantize", { 10, 0, 6, 20 }, 4, 3, D_LLQUANT_NSTEPTYPE, 40, "argument 5 (steps per magnitude)" },
	{ "llquantize", { 1, 0, 6, 20 }, 4, VARIABLE, D_LLQUANT_FACTORSMALL, 10, "two or more, not 1" },
	{ "llquantize", { 65536, 0, 6, 20 }, 4, VARIABLE, D_LLQUANT_FACTORVAL, 10, "from 0 to 65535" },
	{ "llquantize", { 10, -1, 6, 20 }, 4, VARIABLE, D_LLQUANT_LOWVAL, 20, "from 0 to 65535" },
	{ "llquantize", { 10, 65536, 6, 20 }, 4, VARIABLE, D_LLQUANT_LOWVAL, 20, "from 0 to 65535" },
	{ "llquantize", { 10, 0, -6, 20 }, 4, VARIABLE, D_LLQUANT_HIGHVAL, 30, "from 0 to 65535" },
	{ "llquantize", { 10, 0, INT64_MAX, 20 }, 4, VARIABLE, D_LLQUANT_HIGHVAL, 30, "from 0 to 65535" },
	{ "llquantize", { 10, 0, 6, 0 }, 4, VARIABLE, D_LLQUANT_NSTEPVAL, 40, "from 1 to 65535" },
	{ "llquantize", { 10, 0, 6, 65536 }, 4, VARIABLE, D_LLQUANT_NSTEPVAL, 40, "from 1 to 65535" },
	{ "llquantize", { 10, 7, 6, 20 }, 4, VARIABLE, D_LLQUANT_MAGRANGE, 30, "6 is below the low magnitude 7" },
	{ "llquantize", { 10, 0, 6, 5 }, 4, VARIABLE, D_LLQUANT_FACTORNSTEPS, 40, "(5) than its factor (10)" },
	{ "llquantize", { 10, 0, 6, 15 }, 4, VARIABLE, D_LLQUANT_FACTOREVEN, 40, "multiple of the factor" },
	{ "llquantize", { 10, 0, 6, 30 }, 4, VARIABLE, D_LLQUANT_FACTOREVEN, 40, "divide a power" },
	{ "llquantize", { 10, 0, 18, 10 }, 4, VARIABLE, D_LLQUANT_MAGTOOBIG, 30, "does not fit in 64 bits" },
	{ "llquantize", { 2, 0, 62, 2 }, 4, VARIABLE, D_LLQUANT_MAGTOOBIG, 30, "factor 2" },
	{ "llquantize", { 65535, 0, 65535, 65535 }, 4, VARIABLE, D_LLQUANT_MAGTOOBIG, 30, "factor 65535" },
	{ "llquantize", { 2, 0, 61, 32768 }, 4, VARIABLE, D_LLQUANT_NSTEPVAL, 40, "the maximum is 4096" },
	{ "llquantize", { 65535, 0, 1, 65535 }, 4, VARIABLE, D_LLQUANT_NSTEPVAL, 40, "the maximum is 4096" },
};

/* Every case of the common list is accepted. */
static void test_accepted(void **state)
{
	(void)state;
	for (size_t i = 0; i < NAGG_CASES; i++) {
		const struct agg_func *f = agg_func_find(agg_cases[i].name);
		struct agg_paramarg args[4];
		struct agg_spec spec;
		struct arena a;
		struct diags d;

		assert_non_null(f);
		if (!f->check) {
			assert_int_equal(agg_cases[i].given, 0);
			continue;
		}
		arena_init(&a, NULL, NULL);
		diags_init(&d, &a);
		for (unsigned k = 0; k < 4; k++)
			args[k] = (struct agg_paramarg){ .is_const = true, .value = agg_cases[i].p[k] };
		assert_int_equal(f->check(&spec, args, agg_cases[i].given, (struct loc){ 0 }, &d), 0);
		assert_int_equal(d.nerrors, 0);
		assert_true(f->size(&spec) <= 32768);
		assert_int_equal(spec.nparams, f->max_params);
		assert_memory_equal(spec.p, agg_cases[i].p, spec.nparams * sizeof spec.p[0]);
		arena_free(&a);
	}
}

static void check_refused(size_t i)
{
	const struct agg_func *f = agg_func_find(cases[i].func);
	struct source src = { .name = "x.d", .text = "", .len = 0 };
	struct agg_paramarg args[4];
	struct agg_spec spec;
	struct arena a;
	struct diags d;
	int r;

	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	for (unsigned k = 0; k < 4; k++)
		args[k] = (struct agg_paramarg){
			.loc = { &src, 1, 10 * (k + 1) }, .is_const = (int)k != cases[i].variable,
			.value = cases[i].p[k],
		};
	r = f->check(&spec, args, cases[i].n, (struct loc){ &src, 1, 1 }, &d);
	if (r != -1)
		fail_msg("case %zu: check gives %d", i, r);
	assert_int_equal(d.nerrors, 1);
	assert_string_equal(diag_tag_name(d.list.v[0].tag), diag_tag_name(cases[i].tag));
	assert_int_equal(d.list.v[0].loc.col, cases[i].col);
	if (!strstr(d.list.v[0].text, cases[i].text))
		fail_msg("case %zu: \"%s\" does not say \"%s\"", i, d.list.v[0].text, cases[i].text);
	arena_free(&a);
}

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_refused(i);
}

/* Every wrong parameter is named, not only the first. */
static void test_several(void **state)
{
	const struct agg_paramarg args[] = { { .is_const = false }, { .is_const = true, .value = INT64_MAX } };
	struct agg_spec spec;
	struct arena a;
	struct diags d;

	(void)state;
	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	assert_int_equal(agg_func_find("lquantize")->check(&spec, args, 2, (struct loc){ 0 }, &d), -1);
	assert_int_equal(d.nerrors, 2);
	assert_int_equal(d.list.v[0].tag, D_LQUANT_BASETYPE);
	assert_int_equal(d.list.v[1].tag, D_LQUANT_LIMVAL);
	arena_free(&a);
}

static void test_match(void **state)
{
	static const struct {
		const char *func;
		unsigned param;
		enum diag_tag tag;
	} rows[] = {
		{ "lquantize", 0, D_LQUANT_MATCHBASE }, { "lquantize", 1, D_LQUANT_MATCHLIM },
		{ "lquantize", 2, D_LQUANT_MATCHSTEP }, { "llquantize", 0, D_LLQUANT_FACTORMATCH },
		{ "llquantize", 1, D_LLQUANT_LOWMATCH }, { "llquantize", 2, D_LLQUANT_HIGHMATCH },
		{ "llquantize", 3, D_LLQUANT_NSTEPMATCH },
	};
	struct arena a;
	struct diags d;

	(void)state;
	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct agg_func *f = agg_func_find(rows[i].func);
		struct agg_spec first = { .p = { 1, 2, 3, 4 }, .nparams = f->max_params }, now = first;

		assert_int_equal(f->match(&first, &now, (struct loc){ 0 }, &d), 0);
		assert_int_equal(d.nerrors, i);
		now.p[rows[i].param] = 77;
		assert_int_equal(f->match(&first, &now, (struct loc){ 0 }, &d), -1);
		assert_int_equal(d.nerrors, i + 1);
		assert_int_equal(d.list.v[i].tag, rows[i].tag);
		assert_non_null(strstr(d.list.v[i].text, "77"));
	}
	arena_free(&a);
}

/* The default step is 1, so giving 1 is the same. */
static void test_default_step(void **state)
{
	const struct agg_paramarg args[] = { { .is_const = true }, { .is_const = true, .value = 10 },
					     { .is_const = true, .value = 1 } };
	const struct agg_func *f = agg_func_find("lquantize");
	struct agg_spec two, three;
	struct arena a;
	struct diags d;

	(void)state;
	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	assert_int_equal(f->check(&two, args, 2, (struct loc){ 0 }, &d), 0);
	assert_int_equal(f->check(&three, args, 3, (struct loc){ 0 }, &d), 0);
	assert_int_equal(f->match(&two, &three, (struct loc){ 0 }, &d), 0);
	assert_int_equal(f->size(&two), 12 * 8);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted), cmocka_unit_test(test_refused), cmocka_unit_test(test_several),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_default_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
