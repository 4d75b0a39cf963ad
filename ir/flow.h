/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The verifier's second half: what holds on every path. Private to ir/.
 *
 * The function must have passed the first half. Errors: the function, with diagnostics.
 */
#ifndef IR_FLOW_H
#define IR_FLOW_H

#include "ir/ir.h"

void ir_flow_check(const struct ir_prog *p, const struct ir_func *f, struct diags *d);
/* Does this operation give a cell (an address, or 0)? */
bool ir_gives_cell(enum ir_op op);
/* One that is never 0? */
bool ir_gives_place(enum ir_op op);

#endif
