/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -F: indents the output of entry and return probes, so that the calls on each CPU show as a tree.
 *
 * A probe named "entry" or "...-entry" enters; "return" or "...-return" returns. Several clauses of one firing are one
 * step: the first clause of an entry and the last clause of a return get the arrow.
 *
 * Ownership: flow_close frees the memory of flow_line (idempotent).
 * Errors: without memory, lines are not indented.
 */
#ifndef ENGINE_OUTPUT_FLOW_H
#define ENGINE_OUTPUT_FLOW_H

#include "base/buf.h"
#include "lang/prog.h"

struct flow_cpu {
	const struct epid_desc *last;	/* the previous clause that printed */
	unsigned indent;
};

struct flow_output {
	struct flow_cpu *v;	/* by CPU */
	unsigned n;
	const struct epid_desc *next;	/* set by the consumer: what prints next on this CPU, or NULL */
};

void flow_header(struct buf *out);
/* Appends the start of a line: "  0  -> function". */
void flow_line(struct flow_output *f, struct buf *out, int cpu, const struct epid_desc *e);
void flow_close(struct flow_output *f);

#endif
