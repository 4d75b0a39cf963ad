/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports the programs and libraries that any process of this machine maps as executable. The kernel writes a record
 * for each mapping. A file that was reported within the last second is not reported again.
 *
 * Ownership: the struct owns its descriptors and memory until mappings_close (idempotent; a zeroed one is closed).
 * Errors: mappings_open returns -errno with a sentence in reason[n].
 */
#ifndef ENGINE_BPF_MAPPINGS_H
#define ENGINE_BPF_MAPPINGS_H

#include "engine/host/perf_ring.h"
#include "providers/program.h"

enum { MAPPINGS_SEEN = 4096 };

struct mappings {
	bool open;
	struct perf_rings rings;
	bool reading;			/* in a pass over the rings */
	/* [MAPPINGS_SEEN], by inode number */
	struct mapping_seen { uint64_t ino, dev, generation, time; } *seen;
};

/* The descriptors of m->rings are readable when there are records. */
int mappings_open(struct mappings *m, char *reason, size_t n);
/* Takes a report. Process 0: records were lost, any process may have mapped any file. Returns false if there is
 * none. */
bool mappings_next(struct mappings *m, struct program_region *r);
/* The next mapping of a file with this inode number is reported, also within a second. */
void mappings_forget(struct mappings *m, uint64_t ino);
/* Call this periodically for each ring: opens it if its CPU came online. Then it has a new descriptor. */
bool mappings_reopen(struct mappings *m, unsigned i);
void mappings_close(struct mappings *m);

#endif
