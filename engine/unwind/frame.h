/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A frame of a stack that is being unwound: its registers, in DWARF's numbers, and the memory that is known, a copy of
 * the top of the stack. Rules lead from a frame to its caller's.
 *
 * Ownership: the caller owns all of it. Errors: frame_up: the caller cannot be known.
 */
#ifndef ENGINE_UNWIND_FRAME_H
#define ENGINE_UNWIND_FRAME_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum { FRAME_REGS = 17 };

/* How a machine names its registers. The one behind the last general one is the program counter. */
struct machine {
	unsigned elf;			/* e_machine */
	unsigned bits;			/* of a word; what perf calls the ABI */
	uint8_t nregs, sp, fp, pc;
	const uint8_t *perf;		/* DWARF's number -> bit in perf's mask */
};

/* The machine that a process is, by its word size; NULL: its stacks cannot be unwound here. */
const struct machine *machine_of(unsigned bits);
/* The registers that are to be asked of perf; 0: none. */
uint64_t machine_mask(void);

struct frame {
	const struct machine *m;
	uint64_t reg[FRAME_REGS];
	uint32_t known;			/* a bit for each register */
	const uint8_t *stack;
	uint64_t low, high;		/* addresses of the copy */
	uint64_t missed;		/* a word that was looked for and is not in it; 0: none */
};

enum rule_how {
	RULE_SAME,
	RULE_UNKNOWN,
	RULE_AT,			/* in memory at the CFA + val */
	RULE_CFA,			/* the CFA + val */
	RULE_REG,			/* in register val */
	RULE_EXPR_AT,			/* in memory where an expression says */
	RULE_EXPR,			/* what an expression says */
};

struct rule {
	uint8_t how;			/* enum rule_how */
	uint8_t reg;			/* CFA: + val */
	uint16_t nops;
	int32_t val;			/* expressions: where their operations begin */
};

/* What an unwinding table says of one address. */
struct row {
	bool known, signal;		/* signal: the caller was interrupted here, and has called nothing */
	uint32_t same, other;		/* registers whose rule is RULE_SAME, and none of RULE_SAME and RULE_UNKNOWN (row_sort) */
	struct rule cfa;		/* RULE_REG: register reg + val, or RULE_EXPR */
	struct rule reg[FRAME_REGS];
};

enum frame_end { FRAME_GOES_ON, FRAME_LAST, FRAME_CUT, FRAME_BROKEN };

/* A word of the copy. */
bool frame_word(struct frame *f, uint64_t addr, uint64_t *out);
/* Once a row has its rules. */
void row_sort(struct row *r);
/* The frame becomes its caller's, by a row that was sorted. ops: those that rules point to. */
enum frame_end frame_up(struct frame *f, const struct row *r, const Dwarf_Op *ops);
/* The same by the frame pointer, for code that has no tables. */
enum frame_end frame_up_pointer(struct frame *f);
/* Evaluates an expression of unwinding tables; cfa: NULL where it is not known yet. */
bool expr_eval(struct frame *f, const Dwarf_Op *ops, unsigned n, const uint64_t *cfa, uint64_t *out);

#endif
