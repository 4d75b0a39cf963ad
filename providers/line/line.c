/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Source lines of processes: line123:file.c::42. */
#include "providers/line/line.h"

static const struct provider_attr attr = {
	.provider = { ST_UNSTABLE, ST_UNSTABLE, SC_COMMON },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.args = { ST_UNSTABLE, ST_UNSTABLE, SC_COMMON },
};

struct line_state *line_state_of(struct probe_set *s)
{
	void **slot = probe_state_of(s, &provider_line);
	struct line_state *st = *slot;

	if (st)
		return st;
	*slot = st = arena_alloc(s->arena, sizeof *st);
	st->code.set = s;
	st->code.gates[PID_ENTRY].gate.name = "line";
	st->code.gates[PID_ENTRY].state = &st->code;
	return st;
}

static enum ir_ctx line_ctx(const struct probe *p)
{
	(void)p;
	return IR_C_UPROBE;
}

static const struct provider_gates gate_table = {
	.gate = pid_gate,
	.number = pid_number,
	.select = pid_select,
};

const struct provider provider_line = {
	.name = "line",
	.attr = &attr,
	.gates = &gate_table,
	.per_process = true,
	.provide = line_provide,
	.matches = line_matches,
	.ctx = line_ctx,
	.prologue = pid_prologue,
	.attach = pid_attach,
	.detach = pid_detach,
};
