/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * study DTR [RUNS [SECONDS [SEED]]]: is profile-997 unbiased? Samples a process with known shares (work.h), first in
 * user code, then in system calls. In at least 17 of 20 runs, each share must be in its 95 % interval, and the
 * deviations of a part must not be systematic: their sum must be within +-3.3 of its standard deviation. Otherwise the
 * exit status is 1.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/truth/sample.h"

struct study_tally {
	unsigned inside[WORK_PARTS];
	double dev[WORK_PARTS], var[WORK_PARTS];	/* of the hits */
	uint64_t hits[WORK_PARTS], all, any, kernel;
	double truth[WORK_PARTS];
};

static void tally_add(struct study_tally *t, const struct truth_sample *s)
{
	for (unsigned i = 0; i < WORK_PARTS; i++) {
		double p = work_share(i), n = (double)s->all;

		t->inside[i] += fabs(sample_score(s, i)) <= 1.96;
		t->dev[i] += (double)s->hits[i] - n * p;
		t->var[i] += n * p * (1 - p);
		t->hits[i] += s->hits[i];
		t->truth[i] += s->truth[i];
	}
	t->all += s->all;
	t->any += s->any;
	t->kernel += s->kernel;
}

/* Prints the table of one mode; returns the number of parts that failed. */
static int tally_print(const struct study_tally *t, const char *mode, unsigned runs)
{
	int failed = 0;

	for (unsigned i = 0; i < WORK_PARTS; i++) {
		double z = t->dev[i] / sqrt(t->var[i]);
		bool ok = t->inside[i] * 20 >= runs * 17 && fabs(z) <= 3.3;

		failed += !ok;
		printf("%-8s %-8s %8.0f %10.2f %10.2f %8" PRIu64 " %7u of %u %8.2f%s\n", mode, work_name(i),
		       work_share(i) * 100, t->truth[i] / runs * 100, (double)t->hits[i] * 100 / (double)t->all,
		       t->hits[i],
		       t->inside[i], runs, z, ok ? "" : "  (wrong)");
	}
	return failed;
}

int main(int argc, char **argv)
{
	static const char *const modes[WORK_MODES] = { "user", "system" };
	unsigned runs = argc > 2 ? (unsigned)atoi(argv[2]) : 20;
	double seconds = argc > 3 ? atof(argv[3]) : 5;
	uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 0) : (uint64_t)time(NULL);
	struct study_tally t[WORK_MODES] = { 0 };
	int failed = 0;

	if (argc < 2 || argc > 5 || runs < 1 || seconds < 0.01) {
		fprintf(stderr, "usage: study DTR [RUNS [SECONDS [SEED]]]\n");
		return 2;
	}
	for (unsigned r = 0; r < runs; r++) {
		for (unsigned m = 0; m < WORK_MODES; m++) {
			struct truth_sample s;

			if (!sample_take(&s, argv[1], m, (unsigned)(seconds * 1000), seed + r * WORK_MODES + m)) {
				fprintf(stderr, "study: a run failed\n");
				return 1;
			}
			tally_add(&t[m], &s);
		}
	}
	printf("%u runs of %g s, seed %" PRIu64 "\n", runs, seconds, seed);
	printf("%-8s %-8s %8s %10s %10s %8s %13s %8s\n", "mode", "part", "share %", "clock %", "sampled %", "samples",
	       "inside", "sum, z");
	for (unsigned m = 0; m < WORK_MODES; m++)
		failed += tally_print(&t[m], modes[m], runs);
	for (unsigned m = 0; m < WORK_MODES; m++)
		printf("%s: %.2f %% of the process's samples are in none of the parts, %.1f %% in the kernel\n",
		       modes[m], 100 - (double)t[m].all * 100 / (double)t[m].any,
		       (double)t[m].kernel * 100 / (double)t[m].any);
	return failed != 0;
}
