/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turns IR into kernel programs. bpf_generate produces the instructions and a list of the maps they need; it does not
 * use the kernel (`-e` and `-d B` stop here). load.h loads them.
 *
 * Ownership: an image lives in its arena.
 * Errors: bpf_generate (D_LIMIT: a function is too large).
 */
#ifndef ENGINE_BPF_CODE_BPF_H
#define ENGINE_BPF_CODE_BPF_H

#include <linux/bpf.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "lang/prog.h"

struct asm_reloc;
struct asm_sub;
struct buf;
struct diags;
struct ir_func;
struct ir_ins;
struct ir_prog;
struct rt_lib;

enum {
	SCRATCH_SLOTS = 4,	/* slots per CPU that programs claim */
	SCRATCH_PERF = SCRATCH_SLOTS,	/* slot of perf event programs, which never nest on a CPU */
	SCRATCH_ALL, CACHE_LINE = 64, SCRATCH_HEADER = 16,
	ENDED_SLOTS = 1 << 14,	/* notes about ended threads (ended.h) */
	RINGS_NAMED = 4,	/* with up to this many CPUs, programs name each ring: one branch per CPU and record */
};

/* The first bytes of the data map, shared with the programs. */
struct bpf_words {
	_Atomic uint64_t state;		/* enum ir_state */
	_Atomic uint64_t exit_claim;	/* 1 after the first exit() */
	_Atomic int64_t exit_status;
	_Atomic uint64_t ended;		/* when firing ended: CLOCK_MONOTONIC, ns; 0 = not yet */
	uint64_t ended_first;		/* `ended` before END ran, which may call exit() again */
	uint64_t pad[3];
};

struct bpf_params {
	unsigned ncpus;			/* possible CPUs */
	uint64_t bufsize, aggsize, dynvarsize;	/* bytes */
	uint32_t records;		/* a ring holds this many of the longest records (up to 4 MB), or bufsize */
	bool resize;			/* if there is no memory for a ring, make it smaller */
	bool want_exit;			/* exit() wakes the consumer */
	uint32_t part_insns;		/* instructions in a part of a chain (chain.h); 0 = the default */
	uint32_t frames;		/* frames of a stack that the kernel collects; 0 = 127 */
	struct task_layout task;	/* d_prog.task; without offsets that instructions cannot have */
	struct kernel_loads loads;	/* d_prog.loads; 0: reads of kernel memory call a helper */
	uint64_t seed;			/* of the row tables (rows.h): a secret of the session */
	uint32_t table;			/* most bytes of rows in a row table; 0 = no row tables */
	uint32_t tables;		/* most bytes of rows in all row tables together */
	uint32_t vars;			/* most bytes of rows in a table of variables (vars.h); 0 = no such tables */
	uint32_t all_vars;		/* most bytes of rows in all tables of variables together */
	bool unwind;			/* user stacks by unwinding tables (rt/unwind.h) */
	bool interpreted;		/* with frames of interpreted functions */
	bool linked;			/* their walkers are part of programs (link.h) */
	uint64_t pidns_dev, pidns_ino;	/* PID namespace of this process; ino 0 = the initial one */
};

enum bpf_role {
	BPF_MAP_DATA,	/* all data that programs address directly; always present */
	BPF_MAP_WAKE,	/* a ring that carries only the wake-up of exit() */
	BPF_MAP_RING,	/* the ring of one CPU: with up to RINGS_NAMED CPUs, programs name each ring */
	BPF_MAP_RINGS,	/* with more CPUs: an array of rings by CPU; filling it waits for an RCU grace period */
	BPF_MAP_CELLS,	/* one generation of a keyed aggregation */
	BPF_MAP_DYN,	/* an associative array */
	BPF_MAP_CHAIN,	/* the programs of a chain (chain.h) */
	BPF_MAP_UNWIND,	/* struct unwind_shared (rt/unwind.h) */
	BPF_MAP_UNWIND_SLOTS,	/* struct unwind_slot */
	BPF_MAP_UNWIND_FIRST,	/* chunk 0, which programs name */
	BPF_MAP_UNWIND_CHUNKS,	/* the other chunks; changing this array waits for an RCU grace period */
	BPF_MAP_UNWIND_RING,	/* stacks that user space unwinds */
	BPF_MAP_JSTACK,		/* struct jstack_shared (rt/jstack.h) */
	BPF_MAP_WALKERS,	/* programs of one type, by enum link_walker */
	BPF_MAP_THREAD,	/* thread-local variables, as many per value as fit */
	BPF_NROLES
};

struct bpf_mapdef {
	enum bpf_role role;
	enum bpf_map_type type;
	uint32_t keysize, valsize, entries, flags;
	uint32_t obj;		/* CELLS, DYN: the IR object */
	char name[16];
};

/* The place of an IR object that outlives a firing. */
struct bpf_place {
	/* GLOBAL, CONST: in the data map; THREAD: in the value; AGG: in the cells (of a row table, the first row) */
	uint32_t off;
	uint32_t map;		/* AGG with a key, DYN: map of the first generation; the second is map + 1 */
	uint32_t gen;		/* AGG, DYN with generations: offset of the generation word in the data map */
	/* AGG with a key: rows of each CPU's table; DYN of stacks: rows of the table (rows.h); other DYN, THREAD:
	 * rows of the table (vars.h). 0 = no table */
	uint32_t rows;
	uint32_t table;		/* DYN, THREAD: offset of the table in the data map */
	bool used;
	bool removed;		/* DYN: some operation removes elements */
	bool far;		/* used by the run-time library: not on a stack */
	bool shared;		/* LOCAL: shared with the error function */
	bool window;		/* accessed at offsets known only at run time: never on the stack */
	bool plain;		/* AGG, THREAD: only perf event programs update it, which never nest: no atomics */
};

/* One generated program: a function or one part of a chain, followed by its subprograms. Parts are in order. */
struct bpf_code {
	const struct ir_func *func;
	uint32_t part;			/* number of the part in its chain */
	uint32_t chain;			/* map of the chain; UINT32_MAX = not split */
	bool typed;			/* its context has BTF types: it attaches only to func->tracepoint */
	bool turns;			/* runs all turns of a firing (struct ir_func.turns), not only the first */
	struct bpf_insn *insns;
	uint32_t n;
	const struct ir_ins **src;	/* IR operation of each instruction, or NULL */
	struct asm_reloc *relocs;
	size_t nrelocs;
	const struct asm_sub *subs;	/* its subprograms, if the kernel needs to know them; or NULL */
	size_t nsubs;
	uint32_t walkers;		/* map of the walkers that it calls (link.h); UINT32_MAX = none */
};

struct bpf_image {
	struct arena *arena;
	struct arena *tmp;		/* used while one function is being generated */
	const struct ir_prog *prog;
	struct bpf_params par;
	struct bpf_place *place;	/* by IR object */
	const struct ir_func *error;	/* the error function, or NULL */
	bool faults;			/* some operation can fault, so error records are sent */
	const struct rt_lib *lib;	/* the run-time library, if used; else NULL */
	VEC(struct bpf_mapdef) maps;
	VEC(struct bpf_code) codes;
	VEC(struct bpf_code) walkers;	/* by enum link_walker; none if nothing calls them. `func` is NULL */
	uint32_t walkers_map[IR_C_ERROR];	/* maps of walkers, by context of programs; UINT32_MAX = none */
	bool late;			/* the function that is being generated calls walkers by tail calls */
	/* Index in `maps` of DATA, WAKE, the first RING, RINGS, and the last THREAD; UINT32_MAX = none */
	uint32_t map_of[BPF_NROLES];
	uint32_t cpuslots;		/* possible CPUs, rounded up to a power of two for masks */
	uint32_t off_zero, zero_size;	/* zeros to initialise new elements from */
	uint32_t off_drops;		/* [cpuslots] cache lines of drop counters */
	uint32_t off_cells;		/* [cpuslots] of cell_stride bytes: [generation] of gen_stride bytes */
	uint32_t cell_stride, gen_stride;
	uint32_t table;			/* most bytes of rows in a row table of this image */
	uint64_t off_ended, ended_size;	/* threads that have ended (ended.h) */
	uint64_t off_vars, vars_size;	/* tables (vars.h) */
	uint32_t off_scratch;		/* [cpuslots][SCRATCH_SLOTS] of slot_size bytes */
	uint32_t slot_size;
	uint32_t off_own, own_size;	/* memory of the chains */
	uint32_t ring_size;
	uint32_t ring_least;		/* smallest ring that holds the longest record */
	uint64_t data_size;
	unsigned hops;			/* how many more paths of pointers may be loaded directly (isel_task.c) */
};

/* Generates code for a verified program. Returns 0, or -1 with diagnostics. */
int bpf_generate(struct bpf_image *im, struct arena *a, const struct ir_prog *p, const struct bpf_params *par,
		 struct diags *d);
/* The generated code of a function, or NULL. */
const struct bpf_code *bpf_code_find(const struct bpf_image *im, const struct ir_func *f);

/* Prints every program for -d B, one instruction per line. */
void bpf_dump(struct buf *out, const struct bpf_image *im);
/* Prints one instruction (two slots for a 64-bit constant). `im` may be NULL. */
void bpf_print_insn(struct buf *out, const struct bpf_image *im, const struct bpf_code *c, uint32_t at);

#endif
