/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One run: dtr samples the known work with profile-997 and distinguishes its parts: in user code by the address in
 * arg1, in the kernel by the thread name.
 *
 * Who owns what: nothing outlives a call. What can fail: starting the work or dtr: false.
 */
#ifndef BENCH_TRUTH_SAMPLE_H
#define BENCH_TRUTH_SAMPLE_H

#include "bench/truth/work.h"

struct truth_sample {
	uint64_t hits[WORK_PARTS];	/* samples of each part, */
	uint64_t all;			/* in all parts, */
	uint64_t any;			/* in the process, including code between the parts */
	uint64_t kernel;			/* in the process while it was in the kernel */
	double truth[WORK_PARTS];	/* shares by the process's own clock while dtr ran */
};

bool sample_take(struct truth_sample *s, const char *dtr, enum work_mode mode, unsigned ms, uint64_t seed);
/* The deviation of the share in binomial standard deviations. Wilson's 95 % interval around the sampled share contains
 * the known one exactly if this is within +-1.96: the interval is the inverted score test. */
double sample_score(const struct truth_sample *s, unsigned part);
/* By Chernoff's bound, a binomial share deviates as much in this direction with probability e^-x at most; returns x. */
double sample_surprise(const struct truth_sample *s, unsigned part);

#endif
