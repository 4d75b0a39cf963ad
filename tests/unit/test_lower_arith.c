/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Integer expressions: every operator on every pair of widths and signs, compiled as D and by the C compiler from the
 * same text. Then what C leaves open and D does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/dworld.h"

struct arith_pair {
	const char *text;
	int64_t want;
};

/* The same variables in both languages. */
struct vars {
	signed char c;
	unsigned char uc;
	short s;
	unsigned short us;
	int i;
	unsigned int ui;
	long l;
	unsigned long ul;
};

static char *declare(const struct vars *v)
{
	static char text[512];

	snprintf(text, sizeof text,
		 "BEGIN { c = (signed char)%d; uc = (unsigned char)%u; s = (short)%d; us = (unsigned short)%u; "
		 "i = (int)%d; ui = (unsigned int)%u; l = (long)%ld; ul = (unsigned long)%lu; }\n",
		 v->c, v->uc, v->s, v->us, v->i, v->ui, v->l, v->ul);
	return text;
}

enum { PER_CLAUSE = 30 };

/* One trace an expression, compiled with and without the optimiser. */
static void check(const char *head, const struct arith_pair *p, size_t n, bool optimise)
{
	struct buf text = { 0 };
	struct dworld w;

	buf_puts(&text, head);
	for (size_t i = 0; i < n; i++) {
		if (i % PER_CLAUSE == 0)
			buf_puts(&text, i ? "}\nBEGIN {" : "BEGIN {");
		buf_printf(&text, " trace((long)(%s));\n", p[i].text);
	}
	buf_puts(&text, "}\n");
	dworld_open(&w, buf_str(&text), NULL, optimise);
	if (!w.prog)
		fail_msg("%s", dworld_errors(&w));
	dworld_fire(&w, "BEGIN");
	assert_int_equal(w.faults.n, 0);
	for (size_t i = 0; i < n; i++) {
		int64_t got = dworld_int(&w, i / PER_CLAUSE, i % PER_CLAUSE, 0);

		if (got != p[i].want)
			fail_msg("%s: %lld, not %lld", p[i].text, (long long)got, (long long)p[i].want);
	}
	dworld_close(&w);
	buf_free(&text);
}

static void check_both(const char *head, const struct arith_pair *p, size_t n)
{
	check(head, p, n, false);
	check(head, p, n, true);
}

/* The tested expressions would cause warnings in C. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wunused-value"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wtautological-compare"
#endif

#define E(e) { #e, (int64_t)(e) }
#define CALC(a, b) E(a + b), E(a - b), E(a * b), E(a / b), E(a % b)
#define BITS(a, b) E(a & b), E(a | b), E(a ^ b)
#define REL(a, b) E(a == b), E(a != b), E(a < b), E(a <= b), E(a > b), E(a >= b), E(a && b), E(a || b)
#define WITH(m, a) m(a, c), m(a, uc), m(a, s), m(a, us), m(a, i), m(a, ui), m(a, l), m(a, ul)
#define TABLE(m) WITH(m, c), WITH(m, uc), WITH(m, s), WITH(m, us), WITH(m, i), WITH(m, ui), WITH(m, l), WITH(m, ul)
#define EACH(m) m(c), m(uc), m(s), m(us), m(i), m(ui), m(l), m(ul)
#define UNARY(a) E(-a), E(~a), E(!a), E(+a), E(!!a)
#define CASTS(a) E((signed char)a), E((unsigned char)a), E((short)a), E((unsigned short)a), E((int)a), \
	E((unsigned int)a), E((long)a), E((unsigned long)a)
#define SHIFTS(a) E(a >> 0), E(a >> 3), E(a >> 7), E(a >> (uc & 7)), E((unsigned long)a << 5), E((unsigned int)a << 9)
#define SIZES(a) E(sizeof(a)), E(sizeof(a + a)), E(sizeof(a + l)), E(sizeof(a + ui))
#define CONDS(a) E(a ? a : 5), E(a > 100 ? 1 : a), E((a & 1 ? 3 : 4) + 1), E(a > 0 ? i : ui), E(a < 0 ? c : us)

#define LOCALS(v) \
	signed char c = (v)->c; unsigned char uc = (v)->uc; short s = (v)->s; unsigned short us = (v)->us; \
	int i = (v)->i; unsigned int ui = (v)->ui; long l = (v)->l; unsigned long ul = (v)->ul

#define CHECK(v, ...) do { \
	const struct arith_pair p_[] = { __VA_ARGS__ }; \
	check_both(declare(v), p_, sizeof p_ / sizeof *p_); \
} while (0)

/* No product leaves a signed type: that C leaves open. */
static const struct vars small[] = {
	{ -5, 250, -1234, 46000, -30001, 4000000000u, -1234567890, 17000000000000000000ul },
	{ 127, 3, 32000, 7, 41000, 12, 3000000000l, 9 },
	{ -128, 255, -32768, 46340, -1, 4294967295u, -1, 18446744073709551615ul },
};

static void test_calc(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
		LOCALS(&small[k]);

		CHECK(&small[k], TABLE(CALC));
	}
}

static void test_bits(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
		LOCALS(&small[k]);

		CHECK(&small[k], TABLE(BITS));
	}
}

static void test_rel(void **state)
{
	static const struct vars v[] = {
		{ -1, 255, -1, 65535, -1, 4294967295u, -1, 18446744073709551615ul },
		{ 0, 0, 0, 0, 0, 0, 0, 0 },
		{ -5, 5, 300, 300, -70000, 70000, 4294967296l, 4294967295ul },
	};

	(void)state;
	for (size_t k = 0; k < sizeof v / sizeof *v; k++) {
		LOCALS(&v[k]);

		CHECK(&v[k], TABLE(REL));
	}
}

static void test_unary(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
		LOCALS(&small[k]);

		CHECK(&small[k], EACH(UNARY), EACH(CASTS), EACH(SHIFTS), EACH(SIZES), EACH(CONDS));
	}
}

static void test_nested(void **state)
{
	LOCALS(&small[0]);

	(void)state;
	CHECK(&small[0], E((c + uc) * s - (us ^ i) % 7), E(ui / 3 + (l >> 5) - ul % 11), E((char)(uc + 10) == 4),
	      E(c < 0 && uc > 0 || s == 0), E(!(c < 0 && (uc > 0 || s == 0))), E((c < 0) + (s < 0) * 2 + (i < 0) * 4),
	      E(c ? uc ? s ? 1 : 2 : 3 : 4), E(0 ? 1 : i), E((c, uc, s)), E(-(-(-c))), E(~~ui), E((l - 1) / -3),
	      E(l % 1000 * 1000), E(1 - 2 - 3), E(100 / 7 / 2), E(2 + 3 * 4 - 1), E(1 << 3 << 2), E(7 & 3 == 3),
	      E((unsigned char)(uc << 1)), E((short)(us + us)), E(10 > 5 > 1), E('a' + 1), E(0x7fffffff + 0u),
	      E(4294967295 + 1), E(0xffffffff + 1), E(-2147483647 - 1), E(5 - 6 < 0u), E(i / 7 * 7 + i % 7 == i));
}
#pragma GCC diagnostic pop

/* What is undefined in C is defined here: two's complement, the low bits of shift counts. */
static void test_wraps(void **state)
{
	static const struct arith_pair p[] = {
		{ "imax + 1", INT32_MIN }, { "imax * 2", -2 }, { "-imin", INT32_MIN }, { "imin - 1", INT32_MAX },
		{ "lmax + 1", INT64_MIN }, { "-lmin", INT64_MIN }, { "lmin / -1", INT64_MIN }, { "lmin % -1", 0 },
		{ "imin / -1", INT32_MIN }, { "imin % -1", 0 }, { "imin / m1", INT32_MIN }, { "imin % m1", 0 },
		{ "lmin / lm1", INT64_MIN }, { "lmin % lm1", 0 }, { "imax << 1", -2 }, { "1 << k31", INT32_MIN },
		{ "1 << k33", 0 }, { "1L << k33", 1ll << 33 }, { "(int)0x80000000 >> 31", -1 }, { "imin >> k33", -1 },
		{ "(unsigned int)imin >> 31", 1 }, { "1 ^^ 2", 0 }, { "0 ^^ 2", 1 }, { "imax ^^ 0", 1 },
		{ "0 ^^ 0", 0 }, { "imin ^^ lmin", 0 },
	};

	(void)state;
	check_both("BEGIN { imax = 2147483647; imin = -2147483647 - 1; lmax = 9223372036854775807; lmin = -lmax - 1; "
		   "m1 = -1; lm1 = (long)-1; k31 = 31; k33 = 33; }\n", p, sizeof p / sizeof *p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calc), cmocka_unit_test(test_bits), cmocka_unit_test(test_rel),
		cmocka_unit_test(test_unary), cmocka_unit_test(test_nested), cmocka_unit_test(test_wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
