/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interpreter: runs one function of a verified program in the environment given by `struct ir_world`. Used by the
 * rootless engine, the golden tests and the differential tests.
 *
 * Ownership: the caller owns the world and the memory that its hooks return.
 * Errors: none; every operation is total, and a hook without space returns NULL.
 */
#ifndef IR_INTERP_H
#define IR_INTERP_H

#include "ir/ir.h"

/* A NULL hook does nothing and returns 0 (kread and kstr: an error). */
struct ir_world {
	void *arg;	/* first argument of every hook */
	/* memory of GLOBAL, CONST, TEMP, LOCAL and REC objects (each of its size, aligned to 8); the interpreter
	 * clears LOCAL objects at the start of each function except the error function */
	void *(*mem)(void *arg, uint32_t obj);
	/* intrinsics that return a number: CLOCK PIDTGID UIDGID CPU TASK CTX PERFCOUNT STACKDEPTH USTACKDEPTH GOID UREG
	 * CALLERPC COOKIE STATE RANDOM JIFFIES; imm: the immediate operand */
	uint64_t (*read)(void *arg, enum ir_op op, int64_t imm);
	void (*comm)(void *arg, char out[16]);
	/* at most n PCs of a stack, innermost first, into a zeroed `pc`; kind: IR_STACK_USER and so on. Returns
	 * true if the stack is truncated */
	bool (*stack)(void *arg, uint64_t *pc, uint32_t n, unsigned kind);
	int (*kread)(void *arg, void *dst, uint32_t n, uint64_t addr);	/* 0 or an error (the interpreter clears dst) */
	int (*kstr)(void *arg, char *dst, uint32_t n, uint64_t addr);	/* likewise, into a zeroed dst */
	int (*uread)(void *arg, void *dst, uint32_t n, uint64_t addr);	/* kread and kstr for the current process */
	int (*ustr)(void *arg, char *dst, uint32_t n, uint64_t addr);
	int (*uwrite)(void *arg, const void *src, uint32_t n, uint64_t addr);	/* 0, or an error */
	void *(*cell)(void *arg, uint32_t obj, const void *key);	/* NULL: dropped and counted by the hook */
	void *(*dyn)(void *arg, uint32_t obj, const void *key, bool make);
	void (*dyndel)(void *arg, uint32_t obj, const void *key);
	void *(*tls)(void *arg, uint32_t obj, bool make);
	enum ir_sweep (*ended)(void *arg, uint64_t number);
	void (*sweep)(void *arg, uint32_t obj, enum ir_sweep which);
	void (*commit)(void *arg, uint32_t obj, const void *rec, uint32_t n);	/* the first n bytes are sent */
	void (*exit)(void *arg, int64_t status);
	void (*drop)(void *arg, enum ir_drop kind);
	void (*signal)(void *arg, uint64_t number);
	/* Called before the error function runs, to write the error record for the consumer. */
	void (*fault)(void *arg, uint32_t epid, uint32_t action, enum ir_fault kind, uint64_t value);
};

/* Runs f. After a fault, runs the program's function with ctx IR_C_ERROR, if any; a fault in that one counts
 * IR_DROP_DBLERROR and ends it. */
void ir_run(const struct ir_prog *p, const struct ir_func *f, const struct ir_world *w);

/* Calls a function of the run-time library with these places, capacities and values, and returns its result. */
uint64_t ir_rt_call(enum ir_op op, void *const *place, const uint32_t *cap, const uint64_t *v);

/* Layout of the "seed" object (see ir_seed): one 64-bit word per operation that reads the world (stacks have one
 * frame, of the kernel and of the process), then comm and a block of memory that kread/kstr read at address
 * IR_SEED_KBASE + offset and uread/ustr at IR_SEED_UBASE + offset. Other addresses fail, and fill and uwrite always
 * fail. */
struct ir_seed {
	uint64_t clock, pidtgid, uidgid, cpu, task, perfcount, stackdepth, callerpc, cookie, ustackdepth, ureg, state,
		random, jiffies, turn, goid, pc[2];
	uint64_t ctx[32];	/* ctx word at byte offset i: ctx[i / 8 % 32] */
	char comm[16];
	uint8_t kmem[256];
};
#define IR_SEED_KBASE 0xffff888000000000ull
#define IR_SEED_UBASE 0x00007f0000000000ull

#endif
