/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Intervals of shares: published values, properties, and how often they contain the true share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/interval.h"
#include "tests/lib/random.h"

static void expect(uint64_t k, uint64_t n, double low, double high)
{
	struct share_interval i = interval_wilson(k, n);

	assert_true(i.low > low - 0.00005 && i.low < low + 0.00005);
	assert_true(i.high > high - 0.00005 && i.high < high + 0.00005);
}

/* R. G. Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven methods", Statistics
 * in Medicine 17 (1998), 857-872, table I, method 3. */
static void test_published(void **state)
{
	(void)state;
	expect(81, 263, 0.2553, 0.3662);
	expect(15, 148, 0.0624, 0.1605);
	expect(0, 20, 0, 0.1611);
	expect(1, 29, 0.0061, 0.1718);
}

/* A bound q of k / n satisfies (k / n - q)^2 = z^2 q (1 - q) / n. */
static double rest_of(double q, double p, double n)
{
	const double z = 1.959963984540054, r = (p - q) * (p - q) - z * z * q * (1 - q) / n;

	return r < 0 ? -r : r;
}

static void test_equation(void **state)
{
	(void)state;
	for (uint64_t n = 1; n <= 100000000; n = n * 3 + 1)
		for (uint64_t part = 0; part <= 8; part++) {
			uint64_t k = n * part / 8;
			struct share_interval i = interval_wilson(k, n);
			double p = (double)k / (double)n;

			assert_true(i.low >= 0 && i.low <= p && p <= i.high && i.high <= 1);
			assert_true(rest_of(i.low, p, (double)n) < 1e-12 && rest_of(i.high, p, (double)n) < 1e-12);
		}
	assert_true(interval_wilson(0, 0).low == 0 && interval_wilson(0, 0).high == 1);
	assert_true(interval_wilson(7, 7).high == 1 && interval_wilson(0, 7).low == 0);
}

/* Lost samples: the interval contains those of all that they could have been. */
static void test_lost(void **state)
{
	(void)state;
	for (uint64_t lost = 0; lost < 40; lost += 13) {
		struct share_interval wide = interval_wilson_lost(30, 100, lost);

		for (uint64_t more = 0; more <= lost; more++) {
			struct share_interval one = interval_wilson(30 + more, 100 + lost);

			assert_true(wide.low <= one.low && one.high <= wide.high);
		}
	}
	assert_true(interval_wilson_lost(0, 0, 5).low == 0 && interval_wilson_lost(0, 0, 5).high == 1);
}

static void test_overlap(void **state)
{
	const struct share_interval a = { 0.1, 0.2 }, b = { 0.2, 0.3 }, c = { 0.21, 0.22 }, all = { 0, 1 };

	(void)state;
	assert_true(interval_overlap(a, b) && interval_overlap(b, a) && interval_overlap(b, c));
	assert_true(interval_overlap(all, c) && interval_overlap(c, all));
	assert_false(interval_overlap(a, c) || interval_overlap(c, a));
}

/* The exact probability that the interval of n samples contains the share p: the sum of the binomial distribution. */
static double coverage(double p, unsigned n)
{
	double term = 1, sum = 0;

	for (unsigned i = 0; i < n; i++)
		term *= 1 - p;
	for (unsigned k = 0; k <= n; k++) {
		struct share_interval i = interval_wilson(k, n);

		sum += i.low <= p && p <= i.high ? term : 0;
		term *= (double)(n - k) / (double)(k + 1) * p / (1 - p);
	}
	return sum;
}

/* 20,000 times 200 samples of a share. How many intervals contain the share has a binomial distribution, too; the
 * bound is 5.5 of its standard deviations, which a correct generator exceeds less than once in ten million runs. */
static void test_simulated(void **state)
{
	static const double share[] = { 0.02, 0.1, 0.31, 0.5, 0.93 };
	enum { RUNS = 20000, N = 200 };
	uint64_t seed = clock_now();

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	for (unsigned s = 0; s < sizeof share / sizeof *share; s++) {
		double want = coverage(share[s], N), off;
		unsigned held = 0;

		assert_true(want > 0.92 && want < 0.98);
		for (unsigned run = 0; run < RUNS; run++) {
			unsigned k = 0;
			struct share_interval i;

			for (unsigned j = 0; j < N; j++)
				k += (double)(random_next(&seed) >> 11) * 0x1p-53 < share[s];
			i = interval_wilson(k, N);
			held += i.low <= share[s] && share[s] <= i.high;
		}
		off = (double)held - RUNS * want;
		assert_true(off * off < 5.5 * 5.5 * RUNS * want * (1 - want));
	}
}

/* What is lost: samples of the kind first, others first, any. */
enum loss_kind { LOSE_KIND, LOSE_OTHERS, LOSE_ANY, LOSE_KINDS };

/* Takes `lost` of n samples away, of which *k are of the kind. */
static void lose(uint64_t *k, unsigned n, unsigned lost, enum loss_kind which, uint64_t *seed)
{
	uint64_t others = n - *k;

	for (unsigned i = 0; i < lost; i++) {
		bool of_kind = which == LOSE_KIND ? *k > 0 : which == LOSE_OTHERS ? !others :
			       random_next(seed) % (*k + others) < *k;

		*k -= of_kind;
		others -= !of_kind;
	}
}

/*
 * The same with losses. Whatever was lost, the interval contains that of all samples, so it contains the share at least
 * as often. The bound is 5.5 standard deviations below that exact coverage: a run fails by chance less than once in ten
 * million times.
 */
static void test_simulated_losses(void **state)
{
	static const double share[] = { 0.005, 0.1, 0.5, 0.93 };
	enum { RUNS = 4000, N = 300 };
	uint64_t seed = clock_now();

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	for (unsigned test = 0; test < sizeof share / sizeof *share * LOSE_KINDS; test++) {
		double p = share[test / LOSE_KINDS], want = coverage(p, N), short_by;
		unsigned held = 0;

		for (unsigned run = 0; run < RUNS; run++) {
			unsigned lost = (unsigned)(random_next(&seed) % 60);
			struct share_interval i;
			uint64_t k = 0;

			for (unsigned j = 0; j < N; j++)
				k += (double)(random_next(&seed) >> 11) * 0x1p-53 < p;
			lose(&k, N, lost, test % LOSE_KINDS, &seed);
			i = interval_wilson_lost(k, N - lost, lost);
			held += i.low <= p && p <= i.high;
		}
		short_by = RUNS * want - (double)held;
		assert_true(short_by < 0 || short_by * short_by < 5.5 * 5.5 * RUNS * want * (1 - want));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published), cmocka_unit_test(test_equation), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_overlap), cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_simulated_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
