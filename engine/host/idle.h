/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long CPUs have idled, as /proc/stat says: to the tick of sysconf(_SC_CLK_TCK).
 * Who owns what: nothing is kept. What can fail: reading; then nothing is explained.
 */
#ifndef ENGINE_HOST_IDLE_H
#define ENGINE_HOST_IDLE_H

#include <stdint.h>

/* ns[cpu] for the CPUs below n, since the machine was started; 0 for those that are not listed. */
void idle_read(uint64_t *ns, unsigned n);
/* How many of the `missing` firings of a CPU that has idled for `idle` ns that may explain. */
uint64_t idle_explains(uint64_t missing, uint64_t idle, uint64_t interval);

#endif
