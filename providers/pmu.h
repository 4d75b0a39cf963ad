/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of performance counters, as libpfm4 knows them. It stands alone because libpfm4's header has its own copy of
 * the kernel's perf_event.h, which cannot be included beside the real one.
 *
 * Ownership: nothing is kept. Errors: encoding: -errno and a sentence in `why`.
 */
#ifndef PROVIDERS_PMU_H
#define PROVIDERS_PMU_H

#include <stddef.h>
#include <stdint.h>

/* What perf_event_attr wants to know of an event. */
struct pmu_event {
	uint32_t type;
	uint64_t config, config1, config2;
};

/* "cycles", "LLC_MISSES", "skl::INST_RETIRED:ANY". Says nothing about whether this machine can count it. */
int pmu_encode(const char *name, struct pmu_event *e, char *why, size_t n);

#endif
