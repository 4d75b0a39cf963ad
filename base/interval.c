/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/interval.h"

/* The quantile of the normal distribution for 95 %, two-sided. */
static const double z = 1.959963984540054;

/* By Newton's method from above. libm is not linked. */
double interval_root(double x)
{
	double r = x > 1 ? x : 1, next = (r + x / r) / 2;

	while (next < r) {
		r = next;
		next = (r + x / r) / 2;
	}
	return x > 0 ? r : 0;
}

/* A bound is exact if the share is 0 or 1; rounding must not move it. */
struct share_interval interval_wilson(uint64_t k, uint64_t n)
{
	const double size = n ? (double)n : 1, p = (double)k / size, scale = 1 + z * z / size;
	const double middle = p + z * z / (2 * size);
	const double half = z * interval_root(p * (1 - p) / size + z * z / (4 * size * size));

	return (struct share_interval){ k ? (middle - half) / scale : 0, k < n ? (middle + half) / scale : 1 };
}

struct share_interval interval_wilson_lost(uint64_t k, uint64_t n, uint64_t lost)
{
	const uint64_t all = n + lost;

	return (struct share_interval){ interval_wilson(k, all).low, interval_wilson(k + lost, all).high };
}

bool interval_overlap(struct share_interval a, struct share_interval b)
{
	return a.low <= b.high && b.low <= a.high;
}
