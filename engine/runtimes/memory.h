/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of a process that runs interpreted functions.
 * Ownership: the reader's. Errors: false if not all bytes can be read.
 */
#ifndef ENGINE_RUNTIMES_MEMORY_H
#define ENGINE_RUNTIMES_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Reads memory of a process. */
struct jstack_memory {
	bool (*read)(void *arg, uint64_t addr, void *buf, uint64_t n);
	void *arg;
};

#endif
