/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small version of bench/truth: profile-997 samples a process that spends 50, 30 and 20 % of its CPU time in three
 * loops, then in three system calls. Each sampled share must be plausible for a fair sampler: by Chernoff's bound, it
 * exceeds LIMIT with a probability of at most 2 e^-17, any of the six checks with 5 in ten million.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/truth/sample.h"
#include "tests/lib/kernel.h"

enum { MS = 1500, LIMIT = 17, FEW = 50 };

static int check(const char *dtr, enum work_mode mode, uint64_t seed, unsigned *number)
{
	static const char *const modes[WORK_MODES] = { "user code", "system calls" };
	struct truth_sample s;
	int failed = 0;

	if (!sample_take(&s, dtr, mode, MS, seed) || s.all < FEW) {
		printf("not ok %u - %s: dtr samples the process\n", ++*number, modes[mode]);
		return 1;
	}
	for (unsigned i = 0; i < WORK_PARTS; i++) {
		bool ok = sample_surprise(&s, i) < LIMIT;

		failed += !ok;
		printf("# %s: %" PRIu64 " of %" PRIu64 " samples, share %.2f, by its clock %.3f\n", work_name(i),
		       s.hits[i], s.all,
		       work_share(i), s.truth[i]);
		printf("%sok %u - %s: the share of %s\n", ok ? "" : "not ", ++*number, modes[mode], work_name(i));
	}
	return failed;
}

int main(void)
{
	const char *dtr = getenv("DTR");
	unsigned number = 0;
	int failed = 0;

	if (kernel_skip())
		return 0;
	for (unsigned m = 0; m < WORK_MODES; m++)
		failed += check(dtr ? dtr : "./dtr", m, (uint64_t)time(NULL), &number);
	printf("1..%u\n", number);
	return failed != 0;
}
