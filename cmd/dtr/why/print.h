/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of `dtr why` as text and as JSON (docs/why.md).
 *
 * Ownership: the caller owns the buffer. Errors: none.
 */
#ifndef CMD_DTR_WHY_PRINT_H
#define CMD_DTR_WHY_PRINT_H

#include "base/buf.h"
#include "cmd/dtr/why/table.h"

void why_print(struct buf *out, const struct why_table *t);
/* A line for each thread and for each wait. */
void why_print_json(struct buf *out, const struct why_table *t);

#endif
