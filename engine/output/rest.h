/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints the aggregations at the end of a session, in the format of the output.
 * Ownership: everything is appended to o->buf. Errors: no memory (buf.failed).
 */
#ifndef ENGINE_OUTPUT_REST_H
#define ENGINE_OUTPUT_REST_H

#include "engine/output/output.h"

/* Returns -1 after a message if the format cannot show what the options want. */
int rest_check(struct output *o);
/* Prints all aggregations of `tables` that are not in `printed` (NULL: all). */
void rest_print(struct output *o, const struct agg_table *tables, unsigned n, const bool *printed);

#endif
