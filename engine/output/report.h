/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reports faults and drops. Ownership: nothing is kept. Errors: none. */
#ifndef ENGINE_OUTPUT_REPORT_H
#define ENGINE_OUTPUT_REPORT_H

#include "engine/output/output.h"
#include "engine/run/backend.h"

/* Reports "error on enabled probe ID ...". Without -x faults=all, the same fault is reported once, */
void report_error(struct output *o, const struct error_rec *r);
/* and how many more there were at the end. */
void report_repeated(struct output *o);
/* Reports what the backend has dropped since the last call, and `speculative` records that the consumer dropped. */
void report_drops(struct output *o, const struct backend_ops *ops, struct backend *b, uint64_t speculative);
/* The tag of a kind of drop, "DTRACEDROP_PRINCIPAL"; NULL: there is no such kind. */
const char *report_drop_tag(unsigned kind);

#endif
