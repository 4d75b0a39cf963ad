/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Differences of shares: published values, the test's error computed exactly, losses, and corrections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/difference.h"
#include "tests/lib/random.h"

static struct share_count of(uint64_t k, uint64_t n)
{
	return (struct share_count){ k, n, 0 };
}

static void near(double got, double want, double within)
{
	if (!(got > want - within && got < want + within))
		fail_msg("got %.12g, want %.12g", got, want);
}

/* Fisher's experiment with tea: 3 of 4 cups, one-sided 17/70. And all 4: 1/70. */
static void test_published(void **state)
{
	(void)state;
	near(difference_p(of(1, 4), of(3, 4)), 2 * 17.0 / 70, 1e-12);
	near(difference_p(of(3, 4), of(1, 4)), 2 * 17.0 / 70, 1e-12);
	near(difference_p(of(0, 4), of(4, 4)), 2 * 1.0 / 70, 1e-12);
	assert_true(difference_p(of(2, 4), of(2, 4)) == 1);
	assert_true(difference_p(of(0, 100), of(0, 50)) == 1);
	assert_true(difference_p(of(0, 0), of(3, 5)) == 1 && difference_p(of(3, 5), of(0, 0)) == 1);
	assert_true(difference_p(of(5, 5), of(9, 9)) == 1);
}

static double choose(unsigned n, unsigned k)
{
	double c = 1;

	for (unsigned i = 0; k <= n && i < k; i++)
		c = c * (n - i) / (i + 1);
	return k <= n ? c : 0;
}

/* Every table with up to 12 samples on each side, by binomial coefficients. */
static void test_all_small(void **state)
{
	(void)state;
	for (unsigned n1 = 1; n1 <= 12; n1++)
		for (unsigned n2 = 1; n2 <= 12; n2++)
			for (unsigned i = 0; i < (n1 + 1) * (n2 + 1); i++) {
				unsigned a = i % (n1 + 1), b = i / (n1 + 1), sum = a + b;
				double tail = 0;

				if (a * n2 == b * n1)
					continue;
				for (unsigned x = 0; x <= sum && x <= n2; x++)
					if (b * n1 > a * n2 ? x >= b : x <= b)
						tail += choose(n2, x) * choose(n1, sum - x) / choose(n1 + n2, sum);
				near(difference_p(of(a, n1), of(b, n2)), 2 * tail < 1 ? 2 * tail : 1, 1e-9);
			}
}

/* Large samples: the normal approximation is good. 10,000 and 10,600 of 100,000 are 4.41 standard deviations apart. */
static void test_large(void **state)
{
	double p = difference_p(of(10000, 100000), of(10600, 100000));

	(void)state;
	assert_true(p > 0.8e-5 && p < 1.3e-5);
	near(difference_p(of(1000000, 10000000), of(10000, 100000)), 1, 1e-9);
	p = difference_p(of(0, 50000000), of(40000000, 50000000));
	assert_true(p >= 0 && p < 1e-290);
}

/* If nothing has changed, P is 0.05 or less in at most 5 % of all comparisons: the exact probability. */
static double mistakes(double share, unsigned n1, unsigned n2, double level)
{
	double pa[64], pb[64], sum = 0;
	const struct { double *p; unsigned n; } side[] = { { pa, n1 }, { pb, n2 } };

	for (unsigned s = 0; s < 2; s++)
		for (unsigned k = 0; k <= side[s].n; k++) {
			double p = choose(side[s].n, k);

			for (unsigned i = 0; i < side[s].n; i++)
				p *= i < k ? share : 1 - share;
			side[s].p[k] = p;
		}
	for (unsigned a = 0; a <= n1; a++)
		for (unsigned b = 0; b <= n2; b++)
			sum += difference_p(of(a, n1), of(b, n2)) <= level ? pa[a] * pb[b] : 0;
	return sum;
}

static void test_error(void **state)
{
	static const double shares[] = { 0.02, 0.2, 0.5, 0.77 };

	(void)state;
	for (unsigned s = 0; s < sizeof shares / sizeof *shares; s++)
		for (unsigned n = 5; n <= 45; n += 20) {
			assert_true(mistakes(shares[s], n, 30, 0.05) <= 0.05 + 1e-12);
			assert_true(mistakes(shares[s], n, 30, 0.001) <= 0.001 + 1e-12);
		}
	assert_true(mistakes(0.5, 45, 45, 0.05) > 0.01);	/* but not never */
}

/* Newcombe (1998), table II, method 10: (a), (b), (d), (f). */
static void test_interval(void **state)
{
	static const struct {
		uint64_t k1, n1, k2, n2;
		double low, high;
	} published[] = {
		{ 48, 80, 56, 70, 0.0524, 0.3339 }, { 3, 10, 9, 10, 0.1705, 0.8090 },
		{ 0, 29, 5, 56, -0.0381, 0.1926 }, { 0, 20, 0, 10, -0.1611, 0.2775 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof published / sizeof *published; i++) {
		struct share_interval d = difference_interval(of(published[i].k1, published[i].n1),
							      of(published[i].k2, published[i].n2));

		near(d.low, published[i].low, 0.00006);
		near(d.high, published[i].high, 0.00006);
	}
}

/* The lost samples could be anything: P is the largest, the interval contains all. */
static void test_lost(void **state)
{
	const struct share_count a = { 20, 100, 7 }, b = { 45, 110, 5 };
	const struct share_interval wide = difference_interval(a, b);
	double p = difference_p(a, b), most = 0;

	(void)state;
	for (unsigned i = 0; i <= a.lost; i++)
		for (unsigned k = 0; k <= b.lost; k++) {
			const struct share_count c = of(a.k + i, a.n + a.lost), d = of(b.k + k, b.n + b.lost);
			const struct share_interval one = difference_interval(c, d);
			const double q = difference_p(c, d);

			most = q > most ? q : most;
			assert_true(wide.low <= one.low + 1e-12 && one.high <= wide.high + 1e-12);
		}
	near(p, most, 1e-15);
	near(difference_p(b, a), p, 1e-15);
	assert_true(difference_p((struct share_count){ 20, 100, 30 }, b) == 1);
}

/* How often the interval contains the difference: about 95 %. 5.5 standard deviations below 93 %, which the coverage
 * does not fall below for these shares, are reached less than once in ten million runs. */
static void test_simulated(void **state)
{
	enum { RUNS = 20000, N = 150 };
	uint64_t seed = clock_now();
	unsigned held = 0;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	for (unsigned run = 0; run < RUNS; run++) {
		const double p[] = { 0.3, 0.42 };
		struct share_count c[2] = { { 0, N, 0 }, { 0, N, 0 } };
		struct share_interval i;

		for (unsigned s = 0; s < 2; s++)
			for (unsigned k = 0; k < N; k++)
				c[s].k += (double)(random_next(&seed) >> 11) * 0x1p-53 < p[s];
		i = difference_interval(c[0], c[1]);
		held += i.low <= p[1] - p[0] && p[1] - p[0] <= i.high;
	}
	assert_true(held > 0.93 * RUNS - 5.5 * 36.1);	/* the root of RUNS * 0.93 * 0.07 */
}

static void test_holm(void **state)
{
	double p[] = { 0.005, 0.01, 0.03, 0.04 }, one[] = { 0.2 }, many[] = { 0.3, 0.6, 0.9 };

	(void)state;
	difference_holm(p, 4);
	near(p[0], 0.02, 1e-12);
	near(p[1], 0.03, 1e-12);
	near(p[2], 0.06, 1e-12);
	near(p[3], 0.06, 1e-12);
	difference_holm(one, 1);
	near(one[0], 0.2, 1e-12);
	difference_holm(many, 3);
	near(many[0], 0.9, 1e-12);
	assert_true(many[1] == 1 && many[2] == 1);
	difference_holm(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published), cmocka_unit_test(test_all_small), cmocka_unit_test(test_large),
		cmocka_unit_test(test_error), cmocka_unit_test(test_interval), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_simulated), cmocka_unit_test(test_holm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
