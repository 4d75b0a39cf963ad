/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Instruction selection: one row per IR operation (isel_row), and the functions that rows share.
 *
 * R0 and R5 are scratch inside every operation; R1-R4 too if the row has OPF_CALL. An operation writes its result last,
 * because the result's register may also hold an operand.
 *
 * Ownership: everything lives in the generator's arenas. Errors: none.
 */
#ifndef ENGINE_BPF_CODE_ISEL_H
#define ENGINE_BPF_CODE_ISEL_H

#include "engine/bpf/code/asm.h"
#include "engine/bpf/code/layout.h"
#include "engine/bpf/code/regalloc.h"

struct chain;
struct rt_link;

/* A path of pointers from the current thread's structure: the offset of each. */
struct task_hops {
	unsigned n;
	int64_t off[IR_TREAD_OFFS];
};

enum { MOST_HOPS = 4 };	/* in all programs: each costs up to 1 ms at the start */

/* What is known about the current thread at a place in a function (isel_task.c). */
struct task_state {
	bool seen;			/* there is a way to this place */
	bool task;			/* HOME_TASK has the address of the structure */
	struct task_hops hops;		/* n > 0: HOME_HOP has the pointer at the end of this path, or 0 */
};

/* One function being generated. */
struct bpf_gen {
	struct bpf_image *im;
	struct asm_buf *a;
	const struct ir_func *f;
	struct bpf_frame fr;
	const struct bpf_frame *outer;	/* error function: the frame of its caller */
	struct regalloc ra;
	const bool *reached;
	uint32_t *label;		/* by block */
	uint32_t *start;		/* by block: index of its first instruction */
	uint32_t block, next;		/* current block, and the one emitted after it; UINT32_MAX = none */
	uint32_t leave;			/* label of the epilogue */
	struct rt_link *link;		/* the program's library functions */
	uint32_t fault;			/* label of the subprogram that reports a fault */
	uint32_t pos;
	bool cpu;			/* XR_CPU holds the CPU number */
	/* only in a part of a chain: */
	const struct chain *chain;	/* NULL: not split */
	uint32_t part;
	uint32_t go_on;			/* the block that ends in the tail call; UINT32_MAX = none */
	uint32_t map;			/* the chain's map of programs */
	uint32_t spill;			/* bytes of registers kept in memory */
	bool typed;			/* see struct bpf_code */
	bool hide;			/* see gen_hide() */
	bool turns;			/* called for each turn (struct ir_func.turns) */
	struct task_state *tasked;	/* by block: at its beginning */
	struct task_state task;		/* now */
	uint32_t sweeper;		/* label of the subprogram, if the function sweeps (ended.h) */
	bool sweeps;
	bool tasks;			/* an operation other than IR_PIDTGID loads from the current thread */
	uint32_t own, own_stride;	/* the chain's memory: offset from off_own, bytes per CPU */
};

struct isel_row {
	void (*emit)(struct bpf_gen *g, const struct ir_ins *ins);
	unsigned flags;			/* OPF_* */
};

const struct isel_row *isel_row(enum ir_op op);
/* The row's flags, adjusted to the places of the operands. */
unsigned isel_flags(const struct bpf_gen *g, const struct ir_ins *ins);
/* OPF_CALL only if a place is far or the size is large. */
unsigned isel_copy_flags(const struct bpf_gen *g, const struct ir_ins *ins);
unsigned isel_atomic_flags(const struct bpf_gen *g, const struct ir_ins *ins);
/* True if an instruction loads what the operation reads from the kernel. */
bool isel_loads(const struct bpf_gen *g, const struct ir_ins *ins);
unsigned isel_scopy_flags(const struct bpf_gen *g, const struct ir_ins *ins);

/* ---- operands (isel.c) ---- */
/* The register that holds r; a spilled one is loaded into `scratch`. */
int gen_reg(struct bpf_gen *g, ir_reg r, int scratch);
/* Like gen_reg, for a register or an immediate. */
int gen_val(struct bpf_gen *g, const struct ir_arg *v, int scratch);
/* The register to compute a result in: r's own, or `scratch`. */
int gen_dst(struct bpf_gen *g, ir_reg r, int scratch);
/* On kernels before 6.5, emits instructions that make the verifier forget the number in `reg` without changing it.
 * Needed before a comparison in programs that call subprograms: those verifiers track the caller's registers through
 * the callee's instructions, merge paths on which the number differs, and remove a branch that only one path takes. Not
 * for pointers. */
void gen_hide(struct bpf_gen *g, int reg);
/* Moves the result in `from` to the place of r. Emits no code if r = 0. */
void gen_put(struct bpf_gen *g, ir_reg r, int from);
/* True if the value that this operation writes to r is never read. */
bool gen_dead(const struct bpf_gen *g, ir_reg r);
ir_reg gen_xr(const struct bpf_gen *g, unsigned xr);

/* A BPF memory address: base register and offset. */
struct addr {
	int base;
	int32_t off;
};
/* The address of a place without its index; off .. off + span fits into an instruction's offset. May use `scratch`. */
struct addr gen_addr(struct bpf_gen *g, const struct ir_arg *m, int scratch, uint32_t span);
/* Masks `reg` after a comparison has shown that it is below `below`; this does not change its value. On an impossible
 * path, the verifier of 6.1 may have contradictory bounds for `reg` and forgets them when `reg` is added to an address.
 * The mask sets the bounds again. */
void gen_bound(struct bpf_gen *g, int reg, uint32_t below);
/* The address of a place with its index, in R0; R5 is lost. Jumps to `outside` if the index is not below its limit. */
struct addr gen_index(struct bpf_gen *g, const struct ir_arg *m, uint32_t outside);
/* True if the base of this place is the frame pointer. */
bool gen_on_stack(const struct bpf_gen *g, const struct ir_arg *m);
/* True if the operation accesses this function's scratch slot. */
bool gen_in_scratch(const struct bpf_gen *g, const struct ir_ins *ins);

/* ---- arguments of helpers (args.c) ---- */
enum garg_kind { GA_VAL, GA_ADDR, GA_IMM, GA_MAP, GA_DATA, GA_FP, GA_PHYS, GA_CTX };
struct garg {
	enum garg_kind kind;
	const struct ir_arg *arg;	/* VAL, ADDR */
	int64_t imm;			/* IMM; MAP: number; DATA: offset; FP: offset; PHYS: register */
};
static inline struct garg ga_val(const struct ir_arg *a) { return (struct garg){ GA_VAL, a, 0 }; }
static inline struct garg ga_addr(const struct ir_arg *a) { return (struct garg){ GA_ADDR, a, 0 }; }
static inline struct garg ga_imm(int64_t v) { return (struct garg){ GA_IMM, NULL, v }; }
static inline struct garg ga_map(uint32_t m) { return (struct garg){ GA_MAP, NULL, m }; }
static inline struct garg ga_data(uint32_t off) { return (struct garg){ GA_DATA, NULL, off }; }
static inline struct garg ga_fp(int off) { return (struct garg){ GA_FP, NULL, off }; }
static inline struct garg ga_phys(int reg) { return (struct garg){ GA_PHYS, NULL, reg }; }
static inline struct garg ga_ctx(void) { return (struct garg){ GA_CTX, NULL, 0 }; }

/* Loads the arguments into R1.., in any permutation of registers. R0 may be lost. */
void gen_args(struct bpf_gen *g, unsigned n, const struct garg *args);
#define GEN_ARGS(g, ...)                                                                              \
	gen_args((g), sizeof((struct garg[]){ __VA_ARGS__ }) / sizeof(struct garg), (struct garg[]){ __VA_ARGS__ })

/* ---- pieces that several operations share ---- */
/* R0 = number of the current CPU. R1-R5 are lost. */
void gen_cpu(struct bpf_gen *g);
/* reg *= n. */
void gen_times(struct bpf_gen *g, int reg, uint32_t n);
/* R0 = the start of this CPU's cells of the generation being written, relative to off_cells. R1-R5 are lost. */
void gen_cells(struct bpf_gen *g, uint32_t obj);
/* IR_CELL: jumps to `done` with R0 = the value of the key in this CPU's row table. Goes on if the key has no row in it
 * and cannot get one. R1-R5 are lost. */
void gen_row(struct bpf_gen *g, const struct ir_ins *ins, uint32_t done);
/* IR_DYN of a table of stacks: the same with the table that all CPUs share. */
void gen_stack_row(struct bpf_gen *g, const struct ir_ins *ins, uint32_t done);
/* reg = the generation being written, 0 or 1. No other register is lost. */
void gen_generation(struct bpf_gen *g, const struct bpf_place *pl, int reg);
/* R0 = the task of the thread whose variables the object is. R1-R5 may be lost. */
void gen_task(struct bpf_gen *g, uint32_t obj);
/* R0 = the element in the object's map, or 0. */
typedef void gen_find_fn(struct bpf_gen *g, const struct ir_ins *ins);
/* IR_DYN, IR_TLS of an object that has a table (vars.h): jumps to `done` with R0 = the value, or 0; to `slow` if the
 * element is in the object's map. find_in_map: makes a missing element; NULL: does not. R1-R5 are lost. */
void gen_var_find(struct bpf_gen *g, const struct ir_ins *ins, gen_find_fn *find_in_map, uint32_t slow, uint32_t done);
/* IR_DYNDEL: removes the element from the table; jumps to `done`, or to `slow` if it may be in the map. */
void gen_var_remove(struct bpf_gen *g, const struct ir_ins *ins, uint32_t slow, uint32_t done);
/* Counts a drop. R0-R5 are lost. */
void gen_drop(struct bpf_gen *g, enum ir_drop kind);
/* Writes `size` bytes from the place (NULL: from the stack at fp_off) to this CPU's ring. n: how many of them, or NULL
 * for all. R0-R5 are lost. */
struct ring_data {
	const struct ir_arg *place, *n;
	int fp_off;
	uint32_t size;
};
void gen_ring(struct bpf_gen *g, const struct ring_data *data, uint64_t flags);
/* IR_STACK, IR_USTACKDEPTH of the user stack by unwinding tables. */
void gen_unwind(struct bpf_gen *g, const struct ir_ins *ins);
void gen_unwinddepth(struct bpf_gen *g, const struct ir_ins *ins);
/* Up to so many bytes are zeroed by stores. In long functions few: the kernel's verifier takes longer for them than the
 * helper does at run time. */
uint32_t gen_inline_zero(const struct bpf_gen *g);
/* Zeroes bytes of a place. Above gen_inline_zero() bytes R0-R5 are lost. */
void gen_zero(struct bpf_gen *g, const struct ir_arg *m, uint32_t bytes);
/* Copies bytes, inline or with a helper; isel_copy_flags() has the same condition. */
void gen_copy(struct bpf_gen *g, const struct ir_arg *dst, const struct ir_arg *src, uint32_t bytes);

enum { GEN_INLINE_COPY = 128 };

/* ---- rows ---- */
void emit_ld(struct bpf_gen *g, const struct ir_ins *ins);
void emit_st(struct bpf_gen *g, const struct ir_ins *ins);
void emit_xadd(struct bpf_gen *g, const struct ir_ins *ins);
void emit_xcas(struct bpf_gen *g, const struct ir_ins *ins);
void emit_xmax(struct bpf_gen *g, const struct ir_ins *ins);
void emit_world(struct bpf_gen *g, const struct ir_ins *ins);
void emit_ctx(struct bpf_gen *g, const struct ir_ins *ins);
void emit_perfcount(struct bpf_gen *g, const struct ir_ins *ins);
void emit_stack(struct bpf_gen *g, const struct ir_ins *ins);
void emit_stackdepth(struct bpf_gen *g, const struct ir_ins *ins);
void emit_goid(struct bpf_gen *g, const struct ir_ins *ins);
void emit_ureg(struct bpf_gen *g, const struct ir_ins *ins);
void emit_callerpc(struct bpf_gen *g, const struct ir_ins *ins);
void emit_cookie(struct bpf_gen *g, const struct ir_ins *ins);
void emit_turn(struct bpf_gen *g, const struct ir_ins *ins);
void emit_param(struct bpf_gen *g, const struct ir_ins *ins);
void emit_state(struct bpf_gen *g, const struct ir_ins *ins);
void emit_kread(struct bpf_gen *g, const struct ir_ins *ins);
void emit_kstr(struct bpf_gen *g, const struct ir_ins *ins);
void emit_fill(struct bpf_gen *g, const struct ir_ins *ins);
void emit_signal(struct bpf_gen *g, const struct ir_ins *ins);
void emit_uwrite(struct bpf_gen *g, const struct ir_ins *ins);
void emit_get(struct bpf_gen *g, const struct ir_ins *ins);
void emit_gets(struct bpf_gen *g, const struct ir_ins *ins);
void emit_put(struct bpf_gen *g, const struct ir_ins *ins);
void emit_copy(struct bpf_gen *g, const struct ir_ins *ins);
void emit_zero(struct bpf_gen *g, const struct ir_ins *ins);
void emit_scopy(struct bpf_gen *g, const struct ir_ins *ins);
void emit_seq(struct bpf_gen *g, const struct ir_ins *ins);
void emit_scmp(struct bpf_gen *g, const struct ir_ins *ins);
void emit_cell(struct bpf_gen *g, const struct ir_ins *ins);
void emit_cell0(struct bpf_gen *g, const struct ir_ins *ins);
void emit_celln(struct bpf_gen *g, const struct ir_ins *ins);
void emit_dyn(struct bpf_gen *g, const struct ir_ins *ins);
void emit_dyndel(struct bpf_gen *g, const struct ir_ins *ins);
void emit_tls(struct bpf_gen *g, const struct ir_ins *ins);
void emit_climb(struct bpf_gen *g, const struct ir_ins *ins);
void emit_gather(struct bpf_gen *g, const struct ir_ins *ins);
void emit_commit(struct bpf_gen *g, const struct ir_ins *ins);
void emit_exit(struct bpf_gen *g, const struct ir_ins *ins);
void emit_drop(struct bpf_gen *g, const struct ir_ins *ins);
void emit_fault(struct bpf_gen *g, const struct ir_ins *ins);
void emit_rt(struct bpf_gen *g, const struct ir_ins *ins);

/* ---- ended.c ---- */
void emit_ended(struct bpf_gen *g, const struct ir_ins *ins);
void emit_sweep(struct bpf_gen *g, const struct ir_ins *ins);

/* ---- isel_task.c ---- */
void emit_pidtgid(struct bpf_gen *g, const struct ir_ins *ins);
void emit_uidgid(struct bpf_gen *g, const struct ir_ins *ins);
void emit_comm(struct bpf_gen *g, const struct ir_ins *ins);
void emit_tread(struct bpf_gen *g, const struct ir_ins *ins);
/* Before the first block is emitted: finds out where the thread's address is already known. */
void gen_task_init(struct bpf_gen *g);
/* At the beginning of each block. */
void gen_task_block(struct bpf_gen *g);

#endif
