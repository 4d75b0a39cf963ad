/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which CPUs there are. What can fail: nothing; without sysfs the C library is asked. */
#ifndef ENGINE_HOST_CPUS_H
#define ENGINE_HOST_CPUS_H

#include <stdbool.h>

/* The highest number of a CPU that may ever be there, plus one. */
unsigned cpus_possible(void);
/* The CPUs that are online, ascending. Returns how many (at most max). */
unsigned cpus_online(int *out, unsigned max);
/* The same of those that are installed, online or not. */
unsigned cpus_present(int *out, unsigned max);
/* Is this one of them? */
bool cpus_has(const int *cpus, unsigned n, int cpu);

/* The package in which a CPU is and the node of memory beside it; 0 where nobody tells. */
void cpus_place(unsigned cpu, int *chip, int *node);

#endif
