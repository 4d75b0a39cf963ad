/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shares as text. Ownership: everything is appended to o->buf. Errors: no memory (buf.failed). */
#ifndef ENGINE_OUTPUT_SHARES_TABLE_H
#define ENGINE_OUTPUT_SHARES_TABLE_H

#include "engine/output/shares/shares.h"

/* A function of struct printer. */
void shares_table(struct output *o, const struct shares_list *list);

#endif
