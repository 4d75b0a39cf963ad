/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel engine's state, for the files that implement struct backend_ops (backend.c, backend_open.c,
 * kept_backend.c).
 * Ownership: the arena of backend_args owns it. Errors: as in run/backend.h.
 */
#ifndef ENGINE_BPF_ENGINE_H
#define ENGINE_BPF_ENGINE_H

#include "engine/bpf/barrier.h"
#include "engine/bpf/cgroup_events.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/firings.h"
#include "engine/bpf/govern/cost.h"
#include "engine/bpf/govern/governor.h"
#include "engine/bpf/ksyms.h"
#include "engine/bpf/ledger.h"
#include "engine/bpf/load/load.h"
#include "engine/bpf/mappings.h"
#include "engine/bpf/owners.h"
#include "engine/bpf/pacer.h"
#include "engine/bpf/processes.h"
#include "engine/bpf/ring.h"
#include "engine/bpf/stacks.h"
#include "engine/bpf/threads.h"
#include "engine/bpf/unwind/unwinds.h"
#include "engine/bpf/vtime.h"
#include "engine/run/backend.h"

struct bpf_engine {
	struct arena *arena;
	const struct d_prog *prog;
	const struct options *opts;
	struct bpf_image image;
	struct bpf_loaded loaded;
	struct stacks stacks;
	struct rings rings;
	struct barrier barrier;
	struct pacer pacer;
	_Atomic uint64_t printed;	/* records up to this time have been printed */
	struct firings firings;
	struct cost cost;
	struct governor governor;
	struct ledger ledger;
	struct bpf_vtime vtime;
	struct owners owners;
	struct bpf_threads threads;
	struct unwinds unwinds;
	struct ksyms ksyms;
	struct processes processes;
	struct mappings mappings;
	struct cgroup_events cgroups;
	struct attach_env *env;		/* by enabled probe */
	bool *attached;
	bool armed, started;
	bool lasting;			/* probes stay attached when this process has ended (kept.h) */
	int *cpus;			/* online */
	unsigned ncpus;
	struct drop_counts *reported;	/* by CPU: what drops() has reported so far */
	uint64_t missed, nested;		/* counted by the kernel at probes that have been detached */
};

struct snapshot_pause;

extern const struct backend_governor engine_governor;

/* Implements backend_ops.open. */
int engine_open(struct backend **out, const struct backend_args *args, struct diags *d);
void engine_close(struct backend *handle);
/* The first part of opening: generates the programs. Returns 0, or -1 with diagnostics. */
int engine_generate(struct bpf_engine *b, const struct backend_args *args, struct diags *d);
/* The second, when they are loaded. */
void engine_loaded(struct bpf_engine *b);
/* Attaches the enabled probe with this number, which has a program. Returns 0, or -errno with a diagnostic. */
int engine_attach(struct bpf_engine *b, size_t i, struct diags *d);
/* backend_ops.snapshot without the turn of generations. gen: the generation to read, by table. pause: may be NULL. */
int engine_read(struct bpf_engine *b, struct agg_table *const *tables, const unsigned *gen, unsigned n,
		const struct snapshot_pause *pause);
/* Implement backend_ops.object and backend_ops.drops. */
void *engine_object(struct backend *handle, uint32_t obj);
bool engine_drops(struct backend *handle, int cpu, struct drop_counts *out);
/* Counts what the session has cost since the last pass of the governor. */
void engine_govern_end(struct bpf_engine *b);
/* The CPUs that probes are armed on. */
const int *engine_cpus(const struct bpf_engine *b, unsigned *n);
/* Passes the wall clock's offset to the programs. */
void engine_wall(struct bpf_engine *b);
/* Waits until all programs that are running now have ended. Returns 0 or -errno. */
int engine_settle(struct bpf_engine *b);

#endif
