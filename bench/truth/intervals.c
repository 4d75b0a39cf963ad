/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * intervals DTR [RUNS [SECONDS [SEED]]]: do the intervals that -x interval prints contain the truth? Samples a process
 * with known shares (work.h) in user code, and counts the printed intervals that contain them. Of 100, 95 should. The
 * exit status is 1 if there are so few that intervals of exactly 95 % would do so less than once in 1,700 times (3.3
 * standard deviations); intervals widened by losses may contain more.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/truth/work.h"

/* One run: the printed intervals, in percent, and the line "Samples:". */
struct printed {
	double low[WORK_PARTS], high[WORK_PARTS];
	bool there[WORK_PARTS];
	uint64_t samples, lost;
};

static int command(char *out, size_t n, const char *dtr, unsigned ms, pid_t pid)
{
	struct work_range r[WORK_PARTS];

	for (unsigned i = 0; i < WORK_PARTS; i++)
		r[i] = work_range(i);
	return snprintf(out, n, "'%s' -x interval -qn 'inline int f = arg1 >= %" PRIu64 " && arg1 < %" PRIu64 "; "
			"inline int g = arg1 >= %" PRIu64 " && arg1 < %" PRIu64 "; "
			"inline int h = arg1 >= %" PRIu64 " && arg1 < %" PRIu64 "; "
			"profile-997 /pid == %d && (f || g || h)/ { @[f ? 0 : g ? 1 : 2] = count(); } "
			"tick-%ums { exit(0); }'",
			dtr, r[0].start, r[0].end, r[1].start, r[1].end, r[2].start, r[2].end, pid, ms);
}

static bool run(struct printed *p, const char *cmd)
{
	FILE *f = popen(cmd, "r");
	char line[512];
	unsigned part;
	double low, high;

	*p = (struct printed){ 0 };
	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%u %*u %*f %% %lf .. %lf", &part, &low, &high) == 3 && part < WORK_PARTS) {
			p->low[part] = low;
			p->high[part] = high;
			p->there[part] = true;
		}
		sscanf(line, "Samples: %" SCNu64 ", %" SCNu64 " lost", &p->samples, &p->lost);
	}
	return f && pclose(f) == 0 && p->samples;
}

static bool sample(struct printed *p, const char *dtr, unsigned ms, uint64_t seed)
{
	struct work w = { 0 };
	char cmd[2048];
	bool ok = work_start(&w, WORK_USER, seed);

	ok = ok && command(cmd, sizeof cmd, dtr, ms, w.pid) < (int)sizeof cmd && run(p, cmd);
	work_stop(&w);
	return ok;
}

int main(int argc, char **argv)
{
	unsigned runs = argc > 2 ? (unsigned)atoi(argv[2]) : 100, inside[WORK_PARTS] = { 0 }, all = 0;
	double seconds = argc > 3 ? atof(argv[3]) : 2, width[WORK_PARTS] = { 0 }, least;
	uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 0) : (uint64_t)time(NULL), samples = 0, lost = 0;
	struct printed p;

	if (argc < 2 || argc > 5 || runs < 1 || seconds < 0.01) {
		fprintf(stderr, "usage: intervals DTR [RUNS [SECONDS [SEED]]]\n");
		return 2;
	}
	for (unsigned r = 0; r < runs; r++) {
		if (!sample(&p, argv[1], (unsigned)(seconds * 1000), seed + r)) {
			fprintf(stderr, "intervals: a run failed\n");
			return 1;
		}
		for (unsigned i = 0; i < WORK_PARTS; i++) {
			/* the printed bounds are rounded to 0.01 % */
			inside[i] += p.there[i] && p.low[i] - 0.005 <= 100 * work_share(i) &&
				     100 * work_share(i) <= p.high[i] + 0.005;
			width[i] += p.high[i] - p.low[i];
		}
		samples += p.samples;
		lost += p.lost;
	}
	least = 0.95 * runs - 3.3 * sqrt(runs * 0.95 * 0.05);
	printf("%u runs of %g s, seed %" PRIu64 ": %" PRIu64 " samples, %" PRIu64 " lost\n", runs, seconds, seed,
	       samples, lost);
	for (unsigned i = 0; i < WORK_PARTS; i++) {
		printf("%-8s %5.0f %%: in %u of %u intervals (at least %.1f), mean width %.2f\n", work_name(i),
		       100 * work_share(i), inside[i], runs, least, width[i] / runs);
		all += inside[i] >= least;
	}
	return all != WORK_PARTS;
}
