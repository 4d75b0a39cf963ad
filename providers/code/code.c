/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/code/code.h"

const struct probe_gate *code_gate(const struct probe *p)
{
	return &code_of(p)->gate->gate;
}

uint32_t code_number(const struct probe *p)
{
	return code_of(p)->number;
}

enum ir_ctx code_ctx(const struct probe *p)
{
	(void)p;
	return IR_C_UPROBE;
}

void code_join(struct code_gate *g, struct probe *p, int64_t pid)
{
	struct code_probe *d = code_of(p);

	d->gate = g;
	d->number = (uint32_t)g->probes.n;
	d->pid = pid;
	*VEC_ADD(g->state->set->arena, &g->probes) = p;
	g->gate.numbers = (uint32_t)g->probes.n;
}

void code_leave_out(struct code_state *st, const char *text)
{
	if (!st->unprobed++)
		st->first = text;
}
