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
	st->code = (struct code_state){ .set = s, .provider = &provider_line, .data = sizeof(struct line_probe) };
	st->gate.gate.name = "line";
	st->gate.gate.turns = s->lineblocks;
	st->gate.state = &st->code;
	return st;
}

static const struct provider_gates gate_table = {
	.gate = code_gate,
	.number = code_number,
	.select = code_select,
	.reserve = line_reserve,
	.anchors = line_anchors,
};

const struct provider provider_line = {
	.name = "line",
	.attr = &attr,
	.gates = &gate_table,
	.provide = line_provide,
	.ctx = code_ctx,
	.prologue = code_prologue,
	.attach = code_attach,
	.detach = code_detach,
	.matching = &(const struct provider_matching){ .matches = line_matches },
	.processes = &(const struct provider_processes){ .follow = line_follow },
};
