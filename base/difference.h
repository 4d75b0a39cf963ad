/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Differences of two shares: k[0] of n[0] samples, and later k[1] of n[1], are of one kind. Has the share changed?
 *
 * The test is the exact one of R. A. Fisher ("Statistical Methods for Research Workers", 5th edition, 1934, section
 * 21.02). If nothing has changed, then given the sum K = k[0] + k[1], the number of the second sample's is
 * hypergeometric:
 *
 *	P(X = x) = C(n[1], x) C(n[0], K - x) / C(n[0] + n[1], K)
 *
 * The P value is twice P(X >= k[1]) if the share has grown, twice P(X <= k[1]) if it has not, at most 1. It is exact
 * for small counts, too: chance alone makes it p or less in at most a share of p of all comparisons.
 *
 * The interval of the difference is the hybrid score interval of R. G. Newcombe, "Interval estimation for the
 * difference between independent proportions", Statistics in Medicine 17 (1998), 873-890, method 10. With the shares p
 * and their Wilson intervals l to u, the bounds are
 *
 *	d - sqrt((p[1] - l[1])^2 + (u[0] - p[0])^2) and d + sqrt((u[1] - p[1])^2 + (p[0] - l[0])^2), d = p[1] - p[0]
 *
 * If many differences are tested, some P values are small by chance. The correction is that of S. Holm, "A simple
 * sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979), 65-70. Of m P values in
 * ascending order, the i-th (from 1) is multiplied by m - i + 1, and is at least the one before it, at most 1. The
 * probability that any corrected value is p or less by chance is at most p, however the tests depend on each other.
 *
 * All assume that samples are independent. Ownership: plain data. Errors: none.
 */
#ifndef BASE_DIFFERENCE_H
#define BASE_DIFFERENCE_H

#include <stddef.h>

#include "base/interval.h"

/* Counts of one sample: k of n, and `lost` more that could be of the kind or not. */
struct share_count {
	uint64_t k, n, lost;
};

/* The P value of b compared with a. It is the largest for anything that the lost samples could be: those of one side
 * all of the kind and those of the other none, so that the shares approach each other; 1 if they can be equal. */
double difference_p(struct share_count a, struct share_count b);
/* The 95 % interval of the share of b less that of a, -1 to 1: its lower bound for the least, and its upper bound for
 * the largest difference that the lost samples allow. */
struct share_interval difference_interval(struct share_count a, struct share_count b);
/* Corrects n P values: p[0] to p[n - 1] must be in ascending order. */
void difference_holm(double *p, size_t n);

#endif
