/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The level of this process's PID name space: how many others are around it. /proc shows only those below, so a program
 * reads the level in the kernel (rt/programs/pidns.c). Loading and running it takes about 0.1 ms.
 * Ownership: memory comes from the arena; nothing else is kept. Errors: -1.
 */
#ifndef ENGINE_BPF_PIDNS_LEVEL_H
#define ENGINE_BPF_PIDNS_LEVEL_H

#include <stdint.h>

struct arena;

/* Returns the level; 0: the initial name space. thread_pid, level: offsets in struct task_struct and struct pid. -1 if
 * they are 0, or the kernel refuses the program. */
int pidns_level(struct arena *a, uint32_t thread_pid, uint32_t level);

#endif
