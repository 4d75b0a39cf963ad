/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/host/framelimit.h"

#include "base/sysctl.h"

unsigned frame_limit(void)
{
	int n = sysctl_number("perf_event_max_stack", 0);

	return n > 0 ? (unsigned)n : 127;
}
