/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations shared by the optimiser's passes. Private to ir/. Each pass takes a verified function and leaves it
 * valid.
 *
 * Ownership: `mem` holds the tables during one ir_optimise. Errors: none.
 */
#ifndef IR_OPT_H
#define IR_OPT_H

#include "ir/ir.h"

enum fact_kind { F_NONE, F_CONST, F_COPY, F_COND, F_EXT, F_WORLD, F_NOTNULL };

/*
 * A fact about a register. If the register and the registers that the fact refers to are written only once, it holds
 * everywhere after the write. Otherwise it holds within the same run of blocks (`span`), until one of them is written
 * again.
 */
struct fact {
	uint8_t kind;		/* enum fact_kind */
	uint8_t bits;		/* higher bits are 0 */
	uint16_t op;		/* F_COND: the value is `a op b`; F_EXT: `op a`; F_WORLD: `op` */
	uint32_t span;
	struct ir_arg a, b;	/* F_CONST: a.imm; F_COPY: a.reg */
	uint32_t va, vb;	/* numbers of writes of a.reg and b.reg when the fact was recorded */
};

struct opt {
	struct ir_prog *prog;
	struct ir_func *func;
	struct arena mem;
	uint32_t *ndefs, *nuses;	/* indexed by register */
	uint32_t *writes;		/* indexed by register: writes so far in this pass */
	uint32_t *npreds;		/* indexed by block */
	struct fact *facts;
	ir_reg read[IR_NOPS];	/* last result of an operation that reads the world */
	uint32_t span;
	bool changed;
};

void opt_propagate(struct opt *o);	/* constants, copies, simpler operations, known branches */
void opt_thread(struct opt *o);		/* jumps to jumps */
void opt_compact(struct opt *o);	/* unreachable blocks, blocks with one predecessor */
void opt_dead(struct opt *o);		/* operations without an effect */
void opt_share(struct opt *o);		/* repeated reads of the kernel's memory */

/* Rewrites an ALU, UN or COND operation to a cheaper one with the same value, if possible. */
void opt_simplify(struct opt *o, struct ir_ins *ins);
/* The fact about r that holds at this point, or NULL. */
const struct fact *opt_fact(const struct opt *o, ir_reg r);
/* True if the operation returns the same number throughout one firing. */
bool opt_is_steady(enum ir_op op);
/* The number of bits that a sign or zero extension keeps; 0 for other operations. */
unsigned opt_ext_bits(enum ir_op op);
/* The number of low bits of an operand that may be set; 64 if unknown. */
unsigned opt_bits(const struct opt *o, const struct ir_arg *a);

#endif
