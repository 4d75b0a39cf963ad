/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/clock.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SEC = 1000000000 };

/* Constants of the process: its time name space cannot change. */
static struct { int64_t monotonic, boottime; } ahead;

/* Lines: "monotonic SECONDS NANOSECONDS". */
static void ahead_read(void)
{
	FILE *f = fopen("/proc/self/timens_offsets", "re");
	char name[16];
	int64_t s, ns;

	while (f && fscanf(f, "%15s %" SCNd64 " %" SCNd64, name, &s, &ns) == 3) {
		if (!strcmp(name, "monotonic"))
			ahead.monotonic = s * SEC + ns;
		else if (!strcmp(name, "boottime"))
			ahead.boottime = s * SEC + ns;
	}
	if (f)
		fclose(f);
}

int64_t clock_ahead(clockid_t clock)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, ahead_read);
	return clock == CLOCK_MONOTONIC ? ahead.monotonic : clock == CLOCK_BOOTTIME ? ahead.boottime : 0;
}

uint64_t clock_read(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)((int64_t)ts.tv_sec * SEC + ts.tv_nsec - clock_ahead(clock));
}

struct timespec clock_until(uint64_t time)
{
	time += (uint64_t)clock_ahead(CLOCK_MONOTONIC);
	return (struct timespec){ .tv_sec = (time_t)(time / SEC), .tv_nsec = (long)(time % SEC) };
}
