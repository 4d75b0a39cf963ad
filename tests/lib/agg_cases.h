/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The aggregating functions with parameters of every kind: small and large ranges, the limits of what is accepted,
 * defaults. tests/unit/test_agg_check accepts each, tests/unit/test_agg_func compares it with plain C, and
 * tests/kernel/test_agg the kernel with the interpreter. A new function, or parameters that need a test, go here.
 */
#ifndef TESTS_LIB_AGG_CASES_H
#define TESTS_LIB_AGG_CASES_H

#include <stdint.h>

static const struct agg_case {
	const char *name;
	int64_t p[4];
	unsigned given;		/* parameters in the call; p repeats the defaults of the others */
} agg_cases[] = {
	{ "count", { 0 }, 0 },
	{ "sum", { 0 }, 0 },
	{ "min", { 0 }, 0 },
	{ "max", { 0 }, 0 },
	{ "avg", { 0 }, 0 },
	{ "stddev", { 0 }, 0 },
	{ "quantize", { 0 }, 0 },
	{ "lquantize", { 0, 100, 10 }, 3 },
	{ "lquantize", { 0, 100, 1 }, 2 },
	{ "lquantize", { -1000, 1000, 1 }, 2 },
	{ "lquantize", { -7, 50, 13 }, 3 },			/* the step does not divide the range */
	{ "lquantize", { 16, 4096, 64 }, 3 },
	{ "lquantize", { 0, 4094, 1 }, 2 },			/* as many levels as there may be */
	{ "lquantize", { INT32_MAX - 10, INT32_MAX, 10 }, 3 },
	{ "lquantize", { INT32_MIN, INT32_MIN + 1, 1 }, 2 },
	{ "lquantize", { INT32_MIN, INT32_MIN + 65535, 65535 }, 3 },
	{ "lquantize", { INT32_MAX - 65535, INT32_MAX, 65535 }, 3 },
	{ "llquantize", { 10, 0, 6, 20 }, 4 },
	{ "llquantize", { 10, 3, 3, 10 }, 4 },			/* one magnitude */
	{ "llquantize", { 10, 3, 9, 100 }, 4 },
	{ "llquantize", { 10, 0, 17, 10 }, 4 },			/* up to the largest powers of ten and of two */
	{ "llquantize", { 10, 3, 17, 100 }, 4 },
	{ "llquantize", { 2, 0, 61, 2 }, 4 },
	{ "llquantize", { 2, 0, 20, 64 }, 4 },
	{ "llquantize", { 3, 5, 5, 9 }, 4 },
};
enum { NAGG_CASES = sizeof agg_cases / sizeof agg_cases[0] };

#endif
