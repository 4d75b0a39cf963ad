/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A frame of a stack being unwound: its registers by DWARF number, and a copy of the top of the stack. The rules in
 * unwinding tables (DWARF 5, section 6.4) compute the caller's frame.
 *
 * Ownership: the caller owns everything. Errors: frame_up fails if the caller cannot be determined.
 */
#ifndef ENGINE_UNWIND_FRAME_H
#define ENGINE_UNWIND_FRAME_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum { FRAME_REGS = 17 };

/* A machine's registers. The program counter follows the last general register. */
struct unwind_machine {
	unsigned elf;			/* e_machine */
	unsigned bits;			/* bits of a word, as in perf's ABI */
	uint8_t nregs, sp, fp, pc;
	uint32_t saved;			/* bit set: registers that a call preserves, unless tables differ */
	const uint8_t *perf;		/* DWARF register number -> bit in perf's mask */
	const uint8_t *context;		/* DWARF register number -> number of its word in struct sigcontext */
};

/* The machine of a process, by its word size. NULL: its stacks cannot be unwound on this machine. */
const struct unwind_machine *machine_of(unsigned bits);
/* The registers to request from perf; 0: none. */
uint64_t machine_mask(void);

struct unwind_frame {
	const struct unwind_machine *m;
	uint64_t reg[FRAME_REGS];
	uint32_t known;			/* bit set of known registers */
	const uint8_t *stack;
	uint64_t low, high;		/* addresses of the copy */
	bool (*more)(const void *arg, uint64_t addr, void *out, unsigned n);	/* as in struct unwind_start */
	const void *more_arg;
	uint64_t missed;		/* address of a needed word outside the copy; 0: none */
};

enum rule_how {
	RULE_SAME,
	RULE_UNKNOWN,
	RULE_AT,			/* in memory at the CFA + val */
	RULE_CFA,			/* the CFA + val */
	RULE_REG,			/* in register val */
	RULE_EXPR_AT,			/* in memory at the value of an expression */
	RULE_EXPR,			/* the value of an expression */
};

struct unwind_rule {
	uint8_t how;			/* enum rule_how */
	uint8_t reg;			/* CFA: + val */
	uint16_t nops;
	int32_t val;			/* expressions: index of the first operation */
};

/* The row of an unwinding table for one address. */
struct unwind_row {
	bool known, signal;		/* signal: a signal frame; the caller was interrupted, not calling */
	uint32_t same, other;		/* bit sets: registers with RULE_SAME, with other known rules (row_sort) */
	struct unwind_rule cfa;		/* RULE_REG: register reg + val; or RULE_EXPR */
	struct unwind_rule reg[FRAME_REGS];
};

enum frame_end { FRAME_GOES_ON, FRAME_LAST, FRAME_CUT, FRAME_BROKEN, FRAME_INVALID };

/* Reads a word of the stack copy. Returns false if it is outside. */
bool frame_word(struct unwind_frame *f, uint64_t addr, uint64_t *out);
/* Computes `same` and `other`, after the rules are set. */
void row_sort(struct unwind_row *r);
/* The row of code without a table that calls rt_sigreturn(2): all registers are in the struct ucontext at the stack
 * pointer. */
void row_sigreturn(struct unwind_row *r);
/* Replaces the frame by its caller's, using a sorted row. ops: the operations that rules refer to. */
enum frame_end frame_up(struct unwind_frame *f, const struct unwind_row *r, const Dwarf_Op *ops);
/* Like frame_up, using the frame pointer, for code without tables. interrupted: the code was not calling, so a frame
 * pointer of 0 does not mean the outermost frame: functions use the register for anything. */
enum frame_end frame_up_pointer(struct unwind_frame *f, bool interrupted);
/* Evaluates a DWARF expression (DWARF 5, section 2.5). cfa: NULL if not known yet. Returns false on failure. */
bool expr_eval(struct unwind_frame *f, const Dwarf_Op *ops, unsigned n, const uint64_t *cfa, uint64_t *out);

#endif
