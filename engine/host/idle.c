/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/host/idle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t tick_ns(void)
{
	long hz = sysconf(_SC_CLK_TCK);

	return hz > 0 ? 1000000000u / (uint64_t)hz : 10000000u;
}

void idle_read(uint64_t *ns, unsigned n)
{
	FILE *f = fopen("/proc/stat", "re");
	uint64_t idle, wait;
	char line[512];
	unsigned cpu;

	memset(ns, 0, n * sizeof *ns);
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "cpu%u %*u %*u %*u %" SCNu64 " %" SCNu64, &cpu, &idle, &wait) == 3 && cpu < n)
			ns[cpu] = (idle + wait) * tick_ns();
	if (f)
		fclose(f);
}

/* The counters may be one tick late. */
uint64_t idle_explains(uint64_t missing, uint64_t idle, uint64_t interval)
{
	uint64_t most = idle && interval ? (idle + tick_ns()) / interval + 1 : 0;

	return missing < most ? missing : most;
}
