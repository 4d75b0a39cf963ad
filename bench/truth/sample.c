/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "bench/truth/sample.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The condition for samples of a part. */
static void condition(char *out, size_t n, enum work_mode mode, unsigned part)
{
	struct work_range r = work_range(part);

	if (mode == WORK_USER)
		snprintf(out, n, "arg1 >= %" PRIu64 " && arg1 < %" PRIu64, r.start, r.end);
	else
		snprintf(out, n, "execname == \"%s\"", work_name(part));
}

static int command(char *out, size_t n, const char *dtr, enum work_mode mode, unsigned ms, pid_t pid)
{
	char is[WORK_PARTS][128];

	for (unsigned i = 0; i < WORK_PARTS; i++)
		condition(is[i], sizeof is[i], mode, i);
	return snprintf(out, n,
			"'%s' -x ledger=off -qn 'profile-997 /pid == %d/ { @p[3] = count(); } "
			"profile-997 /pid == %d && %s/ { @p[0] = count(); } "
			"profile-997 /pid == %d && %s/ { @p[1] = count(); } "
			"profile-997 /pid == %d && %s/ { @p[2] = count(); } "
			"profile-997 /pid == %d && arg0 != 0/ { @p[4] = count(); } "
			"profile-997 /pid == %d/ { n++; } tick-%ums { over = 1; } profile-997 /over && n >= 300/ { "
			"exit(0); } END { printa(\"%%d %%@u\\n\", @p); }'",
			dtr, pid, pid, is[0], pid, is[1], pid, is[2], pid, pid, ms);
}

static bool run_dtr(struct truth_sample *s, const char *cmd)
{
	FILE *p = popen(cmd, "r");
	uint64_t n;
	unsigned i;

	while (p && fscanf(p, "%u %" SCNu64, &i, &n) == 2 && i <= WORK_PARTS + 1) {
		if (i == WORK_PARTS)
			s->any = n;
		else if (i > WORK_PARTS)
			s->kernel = n;
		else
			s->hits[i] = n;
	}
	return p && pclose(p) == 0;
}

bool sample_take(struct truth_sample *s, const char *dtr, enum work_mode mode, unsigned ms, uint64_t seed)
{
	uint64_t before[WORK_PARTS], total = 0;
	struct work w = { 0 };
	char cmd[2048];
	bool ok;

	*s = (struct truth_sample){ 0 };
	ok = work_start(&w, mode, seed);
	for (unsigned i = 0; ok && i < WORK_PARTS; i++)
		before[i] = w.page->ns[i];
	ok = ok && command(cmd, sizeof cmd, dtr, mode, ms, w.pid) < (int)sizeof cmd && run_dtr(s, cmd);
	for (unsigned i = 0; ok && i < WORK_PARTS; i++) {
		s->truth[i] = (double)(w.page->ns[i] - before[i]);
		total += w.page->ns[i] - before[i];
		s->all += s->hits[i];
	}
	for (unsigned i = 0; i < WORK_PARTS && total; i++)
		s->truth[i] /= (double)total;
	work_stop(&w);
	return ok && s->all;
}

double sample_score(const struct truth_sample *s, unsigned part)
{
	double p = work_share(part), n = (double)s->all;

	return ((double)s->hits[part] - n * p) / sqrt(n * p * (1 - p));
}

double sample_surprise(const struct truth_sample *s, unsigned part)
{
	double p = work_share(part), n = (double)s->all, q = (double)s->hits[part] / n;

	return n * ((q > 0 ? q * log(q / p) : 0) + (q < 1 ? (1 - q) * log((1 - q) / (1 - p)) : 0));
}
