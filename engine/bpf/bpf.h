/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From IR to programs in the kernel, in two steps: bpf_generate makes instructions and a list of the maps they
 * need (no kernel involved: `-e` and `-d B` end here), bpf_load makes the maps and loads the programs.
 *
 * Who owns what: an image lives in its arena; a loaded image owns descriptors and a mapping until bpf_unload.
 * What can fail: generating (D_LIMIT: a function too large), loading (D_BPF, mapped to the D source line).
 */
#ifndef ENGINE_BPF_BPF_H
#define ENGINE_BPF_BPF_H

#include <linux/bpf.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "base/diag.h"
#include "engine/bpf/asm.h"
#include "ir/ir.h"

enum {
	SCRATCH_SLOTS = 4,	/* that programs claim */
	SCRATCH_PERF = SCRATCH_SLOTS,	/* that of perf events' programs, which never nest on a CPU */
	SCRATCH_ALL, CACHE_LINE = 64, SCRATCH_HEADER = 16,
	RINGS_NAMED = 4,	/* up to so many CPUs, each is a branch in front of every record */
};

/* The first bytes of the data map, shared with the programs. */
struct bpf_words {
	_Atomic uint64_t state;		/* enum ir_state */
	_Atomic uint64_t exit_claim;	/* 1 once somebody has called exit() */
	_Atomic int64_t exit_status;
	_Atomic uint64_t ended;		/* when probes were no longer to fire: CLOCK_MONOTONIC, ns; 0 = not yet */
	uint64_t ended_first;		/* the same before END, whose exit() counts anew */
	uint64_t pad[3];
};

struct bpf_params {
	unsigned ncpus;			/* CPUs that are possible */
	uint64_t bufsize, aggsize, dynvarsize;
	uint32_t records;		/* of the longest kind that a ring holds, within reason; 0 = as many as bufsize does */
	bool resize;			/* a ring for which there is no memory is made smaller */
	bool want_exit;			/* exit() has to wake the consumer */
	uint32_t part_insns;		/* instructions in a part of a chain (chain.h); 0 = the usual number */
	uint32_t frames;		/* of a stack the kernel collects so many; 0 = 127 */
	uint64_t pidns_dev, pidns_ino;	/* this process's pid name space; ino 0 = the initial one */
};

enum bpf_role {
	BPF_MAP_DATA,	/* everything that is addressed directly; the only map that is always there */
	BPF_MAP_WAKE,	/* a ring that carries nothing but exit()'s wake-up */
	BPF_MAP_RING,	/* the ring of one CPU: on small machines the programs name them all */
	BPF_MAP_RINGS,	/* on large ones, an array of rings by CPU: filling it waits for a grace period of RCU */
	BPF_MAP_CELLS,	/* a keyed aggregation (one generation of it) */
	BPF_MAP_DYN,	/* an associative array */
	BPF_MAP_CHAIN,	/* the programs that a function was cut into */
	BPF_MAP_THREAD,	/* thread variables, as many in a value as fit */
	BPF_NROLES
};

struct bpf_mapdef {
	enum bpf_role role;
	enum bpf_map_type type;
	uint32_t keysize, valsize, entries, flags;
	uint32_t obj;		/* CELLS, DYN: the IR object */
	char name[16];
};

/* Where an IR object lies that is not of one firing only. */
struct bpf_place {
	/* GLOBAL, CONST: in the data map; THREAD: in the value; AGG without key or with numbered cells: in a CPU's cells */
	uint32_t off;
	uint32_t map;		/* AGG with key, DYN (first generation; the second is map + 1) */
	uint32_t gen;		/* AGG, DYN with generations: offset of the generation word in the data map */
	bool used;
	bool far;		/* the run-time library works on it: not on a stack */
	bool shared;		/* LOCAL: the error function sees it */
	bool window;		/* reached at places that are only known at run time: never on the stack */
	bool plain;		/* AGG, THREAD that only perf event programs update: these never nest on a CPU, so no atomics */
};

/* One generated program: a function, or a part of one, and the subprograms behind it. The first part stands first. */
struct bpf_code {
	const struct ir_func *func;
	uint32_t part;			/* of a chain */
	uint32_t chain;			/* its map, UINT32_MAX = it is whole */
	bool typed;			/* the kernel knows the types of its context: it attaches to func->tracepoint alone */
	struct bpf_insn *insns;
	uint32_t n;
	const struct ir_ins **src;	/* the operation behind each instruction, or NULL */
	struct asm_reloc *relocs;
	size_t nrelocs;
	const struct asm_sub *subs;	/* what it consists of, where the kernel has to know that; or NULL */
	size_t nsubs;
};

struct bpf_image {
	struct arena *arena;
	struct arena *tmp;		/* only while one function is being generated */
	const struct ir_prog *prog;
	struct bpf_params par;
	struct bpf_place *place;	/* by IR object */
	const struct ir_func *error;	/* the error function, or NULL */
	bool faults;			/* some operation can fault: error records are sent */
	const struct rt_lib *lib;	/* the run-time library, where it is used */
	VEC(struct bpf_mapdef) maps;
	VEC(struct bpf_code) codes;
	/* DATA, WAKE, RING (the first), RINGS, THREAD (the last): index in maps, UINT32_MAX = none */
	uint32_t map_of[BPF_NROLES];
	uint32_t cpuslots;		/* possible CPUs, rounded up to a power of two: masks need no branch */
	uint32_t off_zero, zero_size;	/* a source of zeros for new elements */
	uint32_t off_drops;		/* [cpuslots] cache lines */
	uint32_t off_cells;		/* [cpuslots] of cell_stride bytes: [generation] of gen_stride bytes */
	uint32_t cell_stride, gen_stride;
	uint32_t off_scratch;		/* [cpuslots][SCRATCH_SLOTS] of slot_size bytes */
	uint32_t slot_size;
	uint32_t off_own, own_size;	/* memory of the chains */
	uint32_t ring_size;
	uint32_t ring_least;		/* the longest record fits */
	uint64_t data_size;
};

/* 0, or -1 with diagnostics. The program has been verified. */
int bpf_generate(struct bpf_image *im, struct arena *a, const struct ir_prog *p, const struct bpf_params *par,
		 struct diags *d);
/* The generated code of a function, or NULL. */
const struct bpf_code *bpf_code_find(const struct bpf_image *im, const struct ir_func *f);

/* -d B: every program, one instruction a line. */
void bpf_dump(struct buf *out, const struct bpf_image *im);
/* One instruction (two slots for a 64-bit constant); `im` may be NULL. */
void bpf_print_insn(struct buf *out, const struct bpf_image *im, const struct bpf_code *c, uint32_t at);

/* What the kernel is told about subprograms (subs.h). */
struct bpf_subs {
	int fd;				/* type information, -1 = none is needed */
	struct bpf_func_info **info;	/* by code */
};

struct bpf_loaded {
	const struct bpf_image *im;
	int *mapfd;		/* by map, -1 = none */
	int *progfd;		/* by code */
	uint32_t ring_size;	/* of the smallest ring; 0 = there is none */
	int *ringfd;		/* by CPU, those in the array of rings; -1 = none */
	struct bpf_subs btf;
	uint8_t *data;		/* the data map, in our memory */
	size_t data_len;
};

/* 0, or -1 with diagnostics; what was made is given back by bpf_unload in any case. */
int bpf_load(struct bpf_loaded *l, const struct bpf_image *im, struct diags *d);
void bpf_unload(struct bpf_loaded *l);
struct bpf_words *bpf_words(const struct bpf_loaded *l);
/* A GLOBAL or CONST object in our memory, or NULL. */
void *bpf_object(const struct bpf_loaded *l, uint32_t obj);
/* The value of an aggregation object without key or generations on a CPU, in our memory. */
void *bpf_cell(const struct bpf_loaded *l, uint32_t obj, unsigned cpu);
/* Runs an IR_C_RUN program in this thread (cpu < 0) or on that CPU. 0 or -errno. */
int bpf_run(int progfd, int cpu);
/* A CPU's ring, or -1. */
int bpf_ring(const struct bpf_loaded *l, int cpu);
/* A ring for a CPU that has none yet. 0 or -errno. */
int bpf_ring_add(struct bpf_loaded *l, int cpu);

#endif
