/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares exact_profiler.h with 64-bit arithmetic on random schedules. Prints a digest of all results; exit status 1
 * if one is wrong. */
#include <stdio.h>

#include "tests/header/schedule.h"

static uint32_t digest;
static unsigned long updates, longer;
static int wrong;

static void SCHEDULE_UPDATE(const struct exact_profiler *p)
{
	uint64_t all = 0, sum = 0;
	unsigned i, less = 0;

	for (i = 0; i < EXACT_PROFILER_THREADS; i++)
		all += schedule_period[i];
	updates++;
	longer += all > EXACT_PROFILER_MOST;
	while ((all >> less) > EXACT_PROFILER_MOST)
		less++;
	for (i = 0; i < EXACT_PROFILER_THREADS; i++) {
		uint64_t exact = (uint64_t)schedule_period[i] * 10000u / all;
		uint32_t got = exact_profiler_result(p, i);

		/* rounding of both may change the result by at most one hundredth of a percent */
		if (less ? got + 1u < exact || got > exact + 1u : got != exact) {
			fprintf(stderr, "%u of %llu: %u\n", schedule_period[i], (unsigned long long)all, got);
			wrong = 1;
		}
		sum += got;
		digest = digest * 31u + got;
	}
	if (sum > 10000 || sum + EXACT_PROFILER_THREADS <= 10000)
		wrong = 1;
}

int main(void)
{
	uint32_t seed;

	for (seed = 0; seed < 2000; seed++)
		schedule_run(seed);
	if (updates < 10000 || longer < 1000 || updates - longer < 1000 || schedule_hooks != updates)
		wrong = 1;
	fprintf(stderr, "%lu updates, %lu of them too late for 32 bits\n", updates, longer);
	printf("%08x\n", (unsigned)digest);
	return wrong;
}
