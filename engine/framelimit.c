/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/framelimit.h"

#include <stdio.h>

unsigned frame_limit(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	unsigned n = 0;

	if (f && fscanf(f, "%u", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n ? n : 127;
}
