/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of performance counters, from libpfm4. This is a separate file because libpfm4's header has a copy of the
 * kernel's perf_event.h, which conflicts with the original.
 *
 * Ownership: keeps nothing. Errors: pmu_encode returns -errno with a sentence in reason[n].
 */
#ifndef PROVIDERS_PMU_H
#define PROVIDERS_PMU_H

#include <stddef.h>
#include <stdint.h>

/* The members of perf_event_attr for an event. */
struct pmu_event {
	uint32_t type;
	uint64_t config, config1, config2;
};

/* Encodes "cycles", "LLC_MISSES", "skl::INST_RETIRED:ANY". Does not check whether this machine can count it. Returns 0
 * or -errno. */
int pmu_encode(const char *name, struct pmu_event *e, char *reason, size_t n);
/* Calls fn with the name of each event of this machine's processor: without those of the kernel. Returns 0, or -errno
 * if the library is not installed or does not know the processor. */
int pmu_each(void (*fn)(void *arg, const char *name), void *arg);

#endif
