/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -F: what probes at entries and returns print is indented, so that the calls of each CPU show as a tree.
 *
 * A probe named "entry" or "...-entry" enters, "return" or "...-return" returns. Several clauses of one firing are one
 * step: the first of an entry's and the last of a return's carry the arrow.
 *
 * Who owns what: flow_close frees what flow_line took (idempotent).
 * What can fail: memory only; lines are then not indented.
 */
#ifndef ENGINE_OUTPUT_FLOW_H
#define ENGINE_OUTPUT_FLOW_H

#include "base/buf.h"
#include "lang/prog.h"

struct flow_cpu {
	const struct epid_desc *last;	/* what printed before */
	unsigned indent;
};

struct flow {
	struct flow_cpu *v;	/* by CPU */
	unsigned n;
	const struct epid_desc *next;	/* what will print next on the CPU of the line that comes, or NULL: set by the consumer */
};

void flow_header(struct buf *out);
/* "  0  -> function". */
void flow_line(struct flow *f, struct buf *out, int cpu, const struct epid_desc *e);
void flow_close(struct flow *f);

#endif
