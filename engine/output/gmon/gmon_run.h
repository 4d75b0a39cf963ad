/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a session has counted, by object: samples of program counters and arcs of the call graph. It comes from
 * aggregations with these names and keys, which count:
 *
 *	@samples[addr]			program counters
 *	@arcs[from, self]		calls: the address to which the call returns, an address in the function called
 *	@calls[stack(2) or ustack(2)]	calls: an address in the function called, the address to which the call returns
 *	@stacks[stack() or ustack()]	both: the first frame is a program counter, all frames are the ends of arcs
 *
 * An address of a process is uaddr(addr), one of the kernel, or in a given file, is an integer. Other aggregations
 * are ignored.
 *
 * Ownership: gmon_run_free frees what is not in the arena. Errors: gmon_run_take.
 */
#ifndef ENGINE_OUTPUT_GMON_GMON_RUN_H
#define ENGINE_OUTPUT_GMON_GMON_RUN_H

#include "aggregation/agg.h"
#include "base/arena.h"
#include "engine/output/gmon/gmon_object.h"
#include "engine/run/names.h"

/* An object that has samples or arcs. */
struct gmon_code {
	const char *name;		/* "libc.so.6", "vmlinux", a module */
	const char *path;		/* of the file; NULL: in the kernel */
	struct object *file;		/* NULL: in the kernel */
	int err;			/* -errno: the object cannot be described */
	struct gmon_object object;
	VEC(struct gmon_sample) samples;
	VEC(struct gmon_arc) arcs;
	uint64_t count;			/* of all samples */
	uint64_t foreign;		/* calls from other objects, which have no arc */
};

struct gmon_run {
	struct arena *arena;
	struct names *names;
	struct kallsyms *kernel;	/* opened when it is needed */
	int kernel_err;			/* errno of opening it; ESTALE: the addresses are those of another boot; 0 */
	VEC(struct gmon_code) code;
	uint64_t unknown;		/* samples in no object */
	struct object *given;		/* integers are addresses in it; NULL: in the kernel */
};

/* Takes the tables into a run of which only `arena` and `names` are set. file: see `given`, or NULL. Returns 0,
 * -ENOMEM, or -EINVAL if the tables have only texts (saved ones). */
int gmon_run_take(struct gmon_run *run, const struct agg_table *tables, unsigned n, const char *file);
/* True if the aggregation is one of these that have samples. */
bool gmon_run_samples(const struct agg_desc *d);
void gmon_run_free(struct gmon_run *run);

#endif
