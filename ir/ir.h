/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The IR: the small instruction set between D, the aggregations and the providers on one side and the engines on the
 * other.
 *
 * A program is a set of named objects (memory that each engine places) and functions. A function is a list of blocks; a
 * block is a list of operations that ends with one terminator; every branch goes forward. Registers are virtual, have
 * 64 bits and can be written more than once; there is no SSA. docs/ir.md describes the text form and the verifier's
 * rules.
 *
 * Ownership: the program's arena owns everything.
 * Errors: ir_parse and ir_verify record diagnostics; building cannot fail.
 */
#ifndef IR_IR_H
#define IR_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/map.h"

enum ir_op {
#define ALU(n, t, f, b) IR_##n,
#define UN(n, t, f) IR_##n,
#define COND(n, t, f, b) IR_##n,
#define MEM(n, t, s) IR_##n,
#include "ir/ops.def"
#define INTRIN(n, t, s, f, d) IR_##n,
#include "ir/intrin.def"
	/* terminators */
#define COND(n, t, f, b) IR_B##n,
#define TERM(n, t, s) IR_##n,
#include "ir/ops.def"
	IR_NOPS
};

enum { IR_F_WORLD = 1, IR_F_EFFECT = 2, IR_F_TERM = 4, IR_F_ALU = 8, IR_F_UN = 16, IR_F_COND = 32, IR_F_MEM = 64,
       IR_F_RT = 128 /* a function of rt/rt.def */ };

/* One row per operation, generated from ir/ops.def and ir/intrin.def. */
struct ir_opinfo {
	const char *text;	/* "add" */
	const char *sig;	/* "dvv" */
	unsigned flags;		/* IR_F_* */
	const char *doc;	/* intrinsics: description */
};
extern const struct ir_opinfo ir_opinfo[IR_NOPS];

/* Computes an ALU, UN or COND operation (for a branch, its condition). UN ignores b. */
uint64_t ir_fold(enum ir_op op, uint64_t a, uint64_t b);
/* Total signed division, as in BPF: x/0 = 0, x%0 = x, INT64_MIN / -1 = INT64_MIN, INT64_MIN % -1 = 0. */
uint64_t ir_sdiv(uint64_t a, uint64_t b);
uint64_t ir_smod(uint64_t a, uint64_t b);

typedef uint32_t ir_reg;	/* 1.. ; 0 = none */

enum ir_argkind { IR_NONE, IR_REG, IR_IMM, IR_MEM, IR_OBJ, IR_BLOCK };

/*
 * An operand. IR_REG: reg. IR_IMM: imm. IR_OBJ: obj. IR_BLOCK: imm = block number. IR_MEM: obj + imm bytes, where obj
 * is the memory itself (TEMP, LOCAL, GLOBAL, CONST, REC) or, if reg != 0, the cell of obj (AGG, DYN, THREAD) in reg,
 * which must have been compared with 0. If idx != 0, the place is at imm + idx * 8, and the access happens only if idx
 * < lim.
 */
struct ir_arg {
	uint32_t kind : 8;	/* enum ir_argkind */
	uint32_t lim : 24;
	uint32_t obj;
	ir_reg reg;
	ir_reg idx;
	int64_t imm;
};

enum { IR_MAXARGS = 8, IR_MAXLIM = (1 << 24) - 1, IR_MAXREGS = 1 << 20, IR_MAXOBJ = 1 << 26, IR_MAXCELLS = 1 << 12 };

/* IR_TREAD: operands 2 to 1 + IR_TREAD_OFFS are offsets. */
enum { IR_TREAD_OFFS = 5, IR_TREAD_MAX = INT16_MAX };

struct ir_ins {
	uint16_t op;
	uint16_t nargs;
	ir_reg dst;			/* 0: the signature has no d, or the result is unused */
	struct ir_arg arg[IR_MAXARGS];	/* operands of the signature, without d */
	struct loc loc;
};

struct ir_block {
	VEC(struct ir_ins) ins;	/* the last one is the terminator */
	const char *label;	/* for the dump; may be NULL */
};

enum ir_objkind {
	IR_O_TEMP,	/* scratch memory of one firing; undefined until written */
	IR_O_LOCAL,	/* clause-local variable of one firing; zero at its start */
	IR_O_REC,	/* a record under construction; like TEMP, can be committed */
	IR_O_GLOBAL,	/* one per session, initially zero or `init`; can be mapped in user space */
	IR_O_CONST,	/* read-only bytes, `init` */
	IR_O_THREAD,	/* one per thread, initially zero; accessed by tls */
	IR_O_DYN,	/* associative array: keysize -> size bytes, initially zero; accessed by dyn */
	IR_O_AGG,	/* aggregation: keysize (0 = none) -> size bytes per CPU, initially zero; by cell, celln */
};

struct ir_obj {
	const char *name;	/* unique in the program */
	enum ir_objkind kind;
	uint32_t size;		/* bytes; multiple of 8 except for CONST */
	uint32_t keysize;	/* DYN, AGG; multiple of 8 */
	uint32_t cells;		/* AGG: keys (8 bytes) are numbers below this power of two; 0: any keys */
	const void *init;	/* CONST, GLOBAL: `size` bytes, or NULL */
	uint32_t ns;		/* THREAD: 1 if only for one provider; shown in dumps */
	uint32_t leader;	/* THREAD: if not 0, one per process; byte offset of group_leader in task_struct */
	bool generations;	/* AGG: emptied while the session runs, so it has two. DYN: for such AGGs */
	bool stacks;		/* DYN: key = frames, value = their number; a full one counts an aggregation drop */
	bool owned;		/* DYN with stacks: the owner (val_owner) precedes the frames */
	bool threads;		/* DYN: the key begins with the number of the element's thread (ended, sweep) */
	uint32_t tag;		/* AGG: agg_desc id; REC: epid */
};

/* Bytes of dynvarsize for an element of an array besides its key and value: what the kernel adds to it (struct
 * htab_elem, 48 bytes, and the allocator's link, 8), and its share of the hash table, which has a power of two of
 * buckets of 16 bytes, at least one for each element: up to 32. */
enum { IR_ELEMENT = 88 };

/* Which arrays lose the elements of ended threads. */
enum ir_sweep { IR_SWEEP_NONE, IR_SWEEP_FULL, IR_SWEEP_ALL };

/* The context in which a function runs: decides the BPF program type and the meaning of ctx. */
enum ir_ctx {
	IR_C_RUN,	/* run by BPF_PROG_TEST_RUN (BEGIN, END, tick on an idle CPU): dtr sets the words of ctx */
	IR_C_PERF,	/* perf event: ctx is struct bpf_perf_event_data */
	IR_C_RAWTP,	/* raw tracepoint: ctx is the array of argument words */
	IR_C_UPROBE,	/* an instruction of a process: ctx is its registers, struct pt_regs */
	IR_C_KPROBE,	/* a function of the kernel: the same */
	IR_C_CGROUP,	/* a packet of a socket: ctx has the words of enum ir_cgroup */
	IR_C_ERROR,	/* the error function: entered by fault, with five parameters */
};

/* Words of the context of a packet: the address of its struct sk_buff; the protocol of its socket, and the type from
 * bit IR_SOCKET_TYPE on (0: no socket). */
enum ir_cgroup { IR_CGROUP_SKB, IR_CGROUP_SOCKET };
enum { IR_SOCKET_TYPE = 16 };

/* Session states; a probe fires only in its own state. */
enum ir_state { IR_S_INACTIVE, IR_S_BEGIN, IR_S_ACTIVE, IR_S_DRAINING, IR_S_END, IR_S_STOPPED };

/* Second immediate of IR_STACK: the process's stack instead of the kernel's; mark truncated stacks (VAL_CUT); with
 * IR_STACK_USER: the frames of interpreted functions instead of those of their interpreter; the frames are needed at
 * once, so they cannot be found out later; with IR_STACK_INTERPRETED: also the frames that are replaced, marked, or as
 * they are. */
enum { IR_STACK_USER = 1, IR_STACK_MARK = 2, IR_STACK_INTERPRETED = 4, IR_STACK_NOW = 8, IR_STACK_REPLACED = 16,
	IR_STACK_RUNTIME = 32, IR_STACK_ALL = 63 };

/* Faults, with DTrace's numbers (DTRACEFLT_* in illumos sys/dtrace.h), as in arg4 of ERROR. */
enum ir_fault {
	IR_FLT_UNKNOWN, IR_FLT_BADADDR, IR_FLT_BADALIGN, IR_FLT_ILLOP, IR_FLT_DIVZERO, IR_FLT_NOSCRATCH,
	IR_FLT_KPRIV, IR_FLT_UPRIV, IR_FLT_TUPOFLOW, IR_FLT_BADSTACK,
};

/* Source of the bytes of `fill`. */
enum ir_fill { IR_FILL_ZERO, IR_FILL_KERNEL, IR_FILL_USER, IR_FILL_SELF /* the object itself; no overlap */ };

enum ir_drop {
	IR_DROP_PRINCIPAL,	/* no space in the buffer */
	IR_DROP_AGG,		/* no space in an aggregation */
	IR_DROP_DYNAMIC,	/* no space for a dynamic variable */
	IR_DROP_SCRATCH,	/* deeper nesting of contexts than scratch slots */
	IR_DROP_DBLERROR,	/* a fault inside ERROR */
	IR_DROP_SPEC,		/* no space in a speculation */
	IR_DROP_SPECBUSY,	/* no free speculation: some wait for the consumer */
	IR_DROP_SPECUNAVAIL,	/* no free speculation: all are in use */
	IR_DROP_NESTED,		/* the kernel did not run a nested program and counted that */
	IR_DROP_MISSED,		/* the kernel did not run a program at a return and counted that */
	IR_NDROPS
};

struct ir_func {
	const char *name;	/* "profile-97", "error" */
	enum ir_ctx ctx;
	VEC(struct ir_block) blocks;	/* entry = 0 */
	uint32_t nregs;		/* registers are 1..nregs */
	uint32_t tag;		/* index of the probe in the session, set by the builder of the function */
	/* RAWTP: number, from 1, of the context word with the task_struct of the firing's thread, which owns the thread
	 * variables (0: the current thread). tracepoint: the attach point */
	uint32_t task;
	const char *tracepoint;
	/* UPROBE: the upper half of the cookie says how often the function runs for one firing: in turns from 0, one
	 * after another. An engine may run only the first (attach_env.turns) */
	bool turns;
};

struct ir_prog {
	struct arena *arena;
	VEC(struct ir_obj) objs;
	VEC(struct ir_func *) funcs;
	struct map objnames;
};

void ir_prog_init(struct ir_prog *p, struct arena *a);
/* Adds an object and returns its number. The name is copied and must be new. */
uint32_t ir_obj_add(struct ir_prog *p, const struct ir_obj *o);
/* Returns the number of an object, or -1. */
int64_t ir_obj_find(const struct ir_prog *p, const char *name);
struct ir_func *ir_func_add(struct ir_prog *p, const char *name, enum ir_ctx ctx);

/* ---- building: a cursor that appends to one block ---- */
struct ir_builder {
	struct ir_prog *prog;
	struct ir_func *func;
	uint32_t block;		/* where ir_emit appends */
	struct loc loc;		/* source location of new operations */
};

static inline struct ir_arg ir_r(ir_reg r) { return (struct ir_arg){ .kind = IR_REG, .reg = r }; }
static inline struct ir_arg ir_i(int64_t v) { return (struct ir_arg){ .kind = IR_IMM, .imm = v }; }
static inline struct ir_arg ir_o(uint32_t o) { return (struct ir_arg){ .kind = IR_OBJ, .obj = o }; }
static inline struct ir_arg ir_b(uint32_t b) { return (struct ir_arg){ .kind = IR_BLOCK, .imm = b }; }
static inline struct ir_arg ir_m(uint32_t o, int64_t off)
{
	return (struct ir_arg){ .kind = IR_MEM, .obj = o, .imm = off };
}
/* A place in the cell in register r, of aggregation, array or thread variable o. */
static inline struct ir_arg ir_mc(ir_reg r, uint32_t o, int64_t off)
{
	return (struct ir_arg){ .kind = IR_MEM, .obj = o, .reg = r, .imm = off };
}
/* Likewise at off + idx * 8, if idx < lim. */
static inline struct ir_arg ir_mx(ir_reg r, uint32_t o, int64_t off, ir_reg idx, uint32_t lim)
{
	return (struct ir_arg){ .kind = IR_MEM, .obj = o, .reg = r, .imm = off, .idx = idx, .lim = lim };
}

ir_reg ir_newreg(struct ir_builder *b);
/* Adds a block without moving the cursor. Enter blocks in ascending order, or call ir_func_order at the end. */
uint32_t ir_newblock(struct ir_builder *b, const char *label);
/* Moves the cursor to `block`. If the current block has no terminator yet, appends a jmp to it. */
void ir_enter(struct ir_builder *b, uint32_t block);
/* True if the current block has its terminator. */
bool ir_terminated(const struct ir_builder *b);
/* Completes a function: removes unreachable blocks and reorders the others so that every branch goes forward. The
 * function must not have loops. */
void ir_func_order(struct ir_prog *p, struct ir_func *f);

/* Append an operation with `nargs` operands. If the signature has a result, ir_emit returns a new register with it;
 * ir_emit_to writes the given one. */
ir_reg ir_emitv(struct ir_builder *b, enum ir_op op, ir_reg dst, unsigned nargs, const struct ir_arg *args);
#define IR_ARGS(...) \
	(sizeof((struct ir_arg[]){ __VA_ARGS__ }) / sizeof(struct ir_arg)), (struct ir_arg[]){ __VA_ARGS__ }
#define ir_emit(b, op, ...) ir_emitv((b), (op), UINT32_MAX, IR_ARGS(__VA_ARGS__))
#define ir_emit0(b, op) ir_emitv((b), (op), UINT32_MAX, 0, NULL)
#define ir_emit_to(b, op, dst, ...) ir_emitv((b), (op), (dst), IR_ARGS(__VA_ARGS__))

/* ---- text ---- */
/* Print the whole program, or one function. Parsing the text results in the same program. */
void ir_print(struct buf *out, const struct ir_prog *p);
void ir_print_func(struct buf *out, const struct ir_prog *p, const struct ir_func *f);
/* Appends the contents of an IR text to `p`. Returns 0, or -1 with diagnostics (D_SYNTAX). */
int ir_parse(struct ir_prog *p, const struct source *src, struct diags *d);

/* ---- verifying and optimising ---- */
/* Checks signatures, definition before use on every path, forward branches, terminators, bounds of places, cells
 * compared with 0 before use, and valid uses of ctx and param. Returns 0, or -1 with diagnostics (D_BPF). */
int ir_verify(const struct ir_prog *p, struct diags *d);
/* Folds constants, propagates copies, threads jumps, and removes dead operations and blocks. */
void ir_optimise(struct ir_prog *p);
/* For tests: replaces each operation that reads the world by loads from a GLOBAL object "seed" (created if missing;
 * layout: struct ir_seed in ir/interp.h), so that two engines read the same values. */
void ir_seed(struct ir_prog *p);

/* Stores the registers that an operation reads. Returns their number (<= 8). */
unsigned ir_uses(const struct ir_ins *ins, ir_reg out[8]);
/* Stores the successor blocks of a terminator. Returns their number (<= 2). */
unsigned ir_succ(const struct ir_ins *term, uint32_t out[2]);
/* Replaces the blocks of a terminator: b becomes number[b]. */
void ir_retarget(struct ir_ins *term, const uint32_t *number);
/* The size in bytes of the place ins->arg[i], and whether the operation writes it. */
uint32_t ir_place_bytes(const struct ir_prog *p, const struct ir_ins *ins, unsigned i);
bool ir_place_written(const struct ir_ins *ins, unsigned i);
/* True if the operation has an effect other than its result. True for terminators. */
bool ir_has_effect(const struct ir_ins *ins);

#endif
