/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared parts of lowering: objects, faults. */
#include "lang/lower/lower.h"

#include "lang/lower/gate.h"

#include <inttypes.h>

uint32_t lower_object(struct lower *l, enum ir_objkind kind, const char *name, uint32_t size, uint32_t keysize)
{
	return ir_obj_add(l->ir, &(struct ir_obj){ .name = name, .kind = kind, .size = size, .keysize = keysize });
}

uint32_t lower_temp(struct lower *l, uint64_t size)
{
	if (size > LOWER_MAXREC) {
		diag(l->diags, l->b.loc, D_LIMIT, "a string or key of %" PRIu64 " bytes is above the limit of %d", size,
		     LOWER_MAXREC);
		size = LOWER_MAXREC;
	}
	return lower_object(l, IR_O_TEMP, arena_printf(l->arena, "tmp@%" PRIu32, ++l->ntemps),
			    ((uint32_t)size + 7) & ~7u, 0);
}

/* All records of a firing have the same time, also those of ERROR clauses. If it was not read yet, nothing was
 * recorded. */
static void emit_fault(struct lower *l, enum ir_fault kind, struct ir_arg value)
{
	ir_reg time = l->ts ? l->ts : ir_emit0(&l->b, IR_CLOCK);

	ir_emit(&l->b, IR_FAULT, lower_epid(l), ir_i(l->action), ir_i(kind), value, ir_r(time), ir_b(l->next));
	l->faults = true;
}

void lower_fault(struct lower *l, enum ir_fault kind, struct ir_arg value)
{
	emit_fault(l, kind, value);
	ir_enter(&l->b, ir_newblock(&l->b, NULL));
}

void lower_fault_if(struct lower *l, enum ir_op op, struct ir_arg v, enum ir_fault kind, struct ir_arg value)
{
	uint32_t bad = ir_newblock(&l->b, "fault"), good = ir_newblock(&l->b, NULL);

	ir_emit(&l->b, op, v, ir_i(0), ir_b(bad), ir_b(good));
	ir_enter(&l->b, bad);
	emit_fault(l, kind, value);
	ir_enter(&l->b, good);
}

bool lower_enter_depth(struct lower *l, struct loc loc)
{
	if (l->depth < LOWER_MAXDEPTH)
		return l->depth++, true;
	diag(l->diags, loc, D_LIMIT, "nested deeper than %d levels", LOWER_MAXDEPTH);
	return false;
}
