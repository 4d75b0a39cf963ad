/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Idle times of CPUs from /proc/stat, with the resolution of sysconf(_SC_CLK_TCK).
 * Ownership: nothing is kept. Errors: if reading fails, all times are 0.
 */
#ifndef ENGINE_HOST_IDLE_H
#define ENGINE_HOST_IDLE_H

#include <stdint.h>

/* Stores in ns[cpu], for CPUs below n, the idle time since boot in ns; 0 for CPUs that are not listed. */
void idle_read(uint64_t *ns, unsigned n);
/* How many of `missing` firings of a CPU its idle time can explain. idle, interval: ns. */
uint64_t idle_explains(uint64_t missing, uint64_t idle, uint64_t interval);

#endif
