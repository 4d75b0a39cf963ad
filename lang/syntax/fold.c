/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/syntax/fold.h"

static const struct {
	enum ir_op u, s;
} binary[] = {
	[OP_ADD] = { IR_ADD, IR_ADD }, [OP_SUB] = { IR_SUB, IR_SUB }, [OP_MUL] = { IR_MUL, IR_MUL },
	[OP_DIV] = { IR_UDIV, IR_SDIV }, [OP_MOD] = { IR_UMOD, IR_SMOD },
	[OP_AND] = { IR_AND, IR_AND }, [OP_OR] = { IR_OR, IR_OR }, [OP_XOR] = { IR_XOR, IR_XOR },
	[OP_SHL] = { IR_SHL, IR_SHL }, [OP_SHR] = { IR_LSHR, IR_ASHR },
	[OP_EQ] = { IR_EQ, IR_EQ }, [OP_NE] = { IR_NE, IR_NE }, [OP_LT] = { IR_ULT, IR_SLT },
	[OP_LE] = { IR_ULE, IR_SLE }, [OP_GT] = { IR_UGT, IR_SGT }, [OP_GE] = { IR_UGE, IR_SGE },
};

uint64_t fold_operator(enum op op, const struct type *t, uint64_t a, uint64_t b)
{
	return ir_fold(!t || (type_is_int(t) && t->is_signed) ? binary[op].s : binary[op].u, a, b);
}

uint64_t fold_sign(enum op op, uint64_t a)
{
	return op == OP_NEG ? 0 - a : op == OP_NOT ? ~a : op == OP_LNOT ? !a : a;
}
