/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/pmu.h"

#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>

int pmu_encode(const char *name, struct pmu_event *e, char *why, size_t n)
{
	struct perf_event_attr attr;
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof arg };
	int err = pfm_initialize();

	memset(&attr, 0, sizeof attr);
	if (!err)
		err = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (err) {
		snprintf(why, n, "%s: %s", name, pfm_strerror(err));
		return -EINVAL;
	}
	*e = (struct pmu_event){ .type = attr.type, .config = attr.config, .config1 = attr.config1, .config2 = attr.config2 };
	return 0;
}
