/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs that follow processes (process.c) share with the engine. Ownership: none. Errors: none. */
#ifndef RT_PROGRAMS_PROCESS_H
#define RT_PROGRAMS_PROCESS_H

#include <stdint.h>

enum { PROCESS_IDS = 1 << 22 };		/* as FAMILY_PIDS (providers/family.h); a power of two */

struct process_report {
	uint64_t pid;
};

#endif
