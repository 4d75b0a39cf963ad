/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes gmon.out, the file that GNU gprof reads (version 1, this machine's byte order): a header, histograms of
 * program counters, arcs of the call graph.
 *
 * A histogram covers a range of addresses with counters of 16 bits, one for every two bytes. There is one for each part
 * of the code that has samples; those of the same range add up, so that larger counts are divided. The parts depend
 * only on the object, never on its samples: `gprof -s` adds up files whose ranges are the same, and refuses others.
 *
 * Ownership: the caller's buffer. Errors: gmon_put.
 */
#ifndef ENGINE_OUTPUT_GMON_GMON_FILE_H
#define ENGINE_OUTPUT_GMON_GMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Smallest size of a part in bytes. */
enum { GMON_PART = 1 << 16 };

struct gmon_sample {
	uint64_t pc, count;
};

struct gmon_arc {
	uint64_t from;			/* the caller: any address in it, usually that after the call */
	uint64_t self;			/* the callee: its first address */
	uint64_t count;
};

/* Addresses are those of the symbols in the object's file, not those at which it was loaded. */
struct gmon_profile {
	uint64_t low, high;		/* the object's code: `low` to `high` - 1 */
	const uint64_t *border;		/* [nborders], ascending: addresses at which a part may begin (functions) */
	size_t nborders;
	uint32_t rate;			/* samples a second, not 0 */
	bool is32;			/* the object has addresses of 32 bits */
	const struct gmon_sample *sample;	/* [nsamples], any order; those of one address add up */
	size_t nsamples;
	const struct gmon_arc *arc;	/* [narcs], any order; counts of 0 are omitted */
	size_t narcs;
};

/* Appends the contents of the file. Returns the sum of the counts of samples outside of the object, which are omitted;
 * out->failed: no memory. */
uint64_t gmon_put(struct buf *out, const struct gmon_profile *p);

#endif
