/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the passes of the optimiser share. Private to ir/. Passes want a verified function and leave one.
 *
 * Ownership: `mem` holds the tables for the time of one ir_optimise. Nothing can fail.
 */
#ifndef IR_OPT_H
#define IR_OPT_H

#include "ir/ir.h"

enum fact_kind { F_NONE, F_CONST, F_COPY, F_COND, F_EXT, F_WORLD, F_NOTNULL };

/*
 * What is known of a register. It holds everywhere behind the write if that is the only one and the registers
 * it speaks of are written only once, too; else as long as the stretch of blocks (`span`) goes on and none of
 * them was written again.
 */
struct fact {
	uint8_t kind;		/* enum fact_kind */
	uint8_t bits;		/* higher bits are 0 */
	uint16_t op;		/* F_COND: its value is `a op b`; F_EXT: `op a`; F_WORLD: `op` */
	uint32_t span;
	struct ir_arg a, b;	/* F_CONST: a.imm; F_COPY: a.reg */
	uint32_t va, vb;	/* writes of a.reg and b.reg when the fact was noted */
};

struct opt {
	struct ir_prog *prog;
	struct ir_func *func;
	struct arena mem;
	uint32_t *ndefs, *nuses;	/* of registers */
	uint32_t *writes;		/* of registers, so far in this pass */
	uint32_t *npreds;		/* of blocks */
	struct fact *facts;
	ir_reg read[IR_NOPS];	/* what an operation that reads the world gave last */
	uint32_t span;
	bool changed;
};

void opt_propagate(struct opt *o);	/* constants, copies, simpler operations, known branches */
void opt_thread(struct opt *o);		/* jumps to jumps */
void opt_compact(struct opt *o);	/* unreachable blocks, blocks with one way in */
void opt_dead(struct opt *o);		/* operations without effect */

/* Rewrites an ALU, UN or COND operation to a cheaper one of the same value, if it knows one. */
void opt_simplify(struct opt *o, struct ir_ins *ins);
/* What is known of r here, or NULL. */
const struct fact *opt_fact(const struct opt *o, ir_reg r);
/* Bits that a sign or zero extension keeps; 0 for other operations. */
unsigned opt_ext_bits(enum ir_op op);
/* How many low bits of this operand can be set; 64 if nothing is known. */
unsigned opt_bits(const struct opt *o, const struct ir_arg *a);

#endif
