/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The machine's CPUs, from sysfs or else from the C library. Errors: none. */
#ifndef ENGINE_HOST_CPUS_H
#define ENGINE_HOST_CPUS_H

#include <stdbool.h>

/* The highest number of a possible CPU, plus one. */
unsigned cpus_possible(void);
/* Stores the numbers of the online CPUs, ascending. Returns how many (at most max). */
unsigned cpus_online(int *out, unsigned max);
/* Like cpus_online, but for present CPUs, online or not. */
unsigned cpus_present(int *out, unsigned max);
/* True if cpu is one of cpus[n]. */
bool cpus_has(const int *cpus, unsigned n, int cpu);

/* The package and the NUMA node of a CPU; 0 if unknown. */
void cpus_place(unsigned cpu, int *chip, int *node);

#endif
