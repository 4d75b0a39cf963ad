/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The second half of the verifier: conditions on every path. Private to ir/.
 *
 * Ownership: nothing is kept. Errors: diagnostics. The function must have passed the first half.
 */
#ifndef IR_FLOW_H
#define IR_FLOW_H

#include "ir/ir.h"

void ir_flow_check(const struct ir_prog *p, const struct ir_func *f, struct diags *d);
/* True if the operation's result is a cell (an address, or 0). */
bool ir_gives_cell(enum ir_op op);
/* True if that cell is never 0. */
bool ir_gives_place(enum ir_op op);

#endif
