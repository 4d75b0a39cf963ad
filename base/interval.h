/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Confidence intervals of shares: `k` of `n` samples are of one kind; between which bounds is the true share?
 *
 * The interval is the score interval of E. B. Wilson, "Probable inference, the law of succession, and statistical
 * inference", Journal of the American Statistical Association 22 (1927), 209-212. With p = k / n and z the quantile of
 * the normal distribution (1.96 for 95 %), its bounds are the solutions q of (p - q)^2 = z^2 q (1 - q) / n:
 *
 *	(p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)
 *
 * The bounds are never outside 0 to 1, and the interval is not empty for k = 0 and k = n. It assumes that the samples
 * are independent.
 *
 * Ownership: plain data. Errors: none.
 */
#ifndef BASE_INTERVAL_H
#define BASE_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

struct share_interval {
	double low, high;		/* from 0 to 1 */
};

/* The 95 % interval of the share k / n, k <= n. n = 0: from 0 to 1. */
struct share_interval interval_wilson(uint64_t k, uint64_t n);
/* The same if `lost` more samples were taken, but their kind is unknown: from the lower bound of k / (n + lost) to the
 * upper bound of (k + lost) / (n + lost). */
struct share_interval interval_wilson_lost(uint64_t k, uint64_t n, uint64_t lost);
/* The square root of x, which is finite; 0 if x is not positive. */
double interval_root(double x);
/* True if a value is in both. */
bool interval_overlap(struct share_interval a, struct share_interval b);

#endif
