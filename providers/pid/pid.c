/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions and instructions of processes: pid123:libc:malloc:entry. */
#include "providers/pid/pid.h"

static const struct provider_attr attr = {
	.provider = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.args = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
};

struct pid_state *pid_state_of(struct probe_set *s)
{
	static const char *const names[] = { [PID_ENTRY] = "pid:entry", [PID_RETURN] = "pid:return" };
	void **slot = probe_state_of(s, &provider_pid);
	struct pid_state *st = *slot;

	if (st)
		return st;
	*slot = st = arena_alloc(s->arena, sizeof *st);
	st->code = (struct code_state){ .set = s, .provider = &provider_pid, .data = sizeof(struct pid_probe) };
	for (unsigned i = 0; i < PID_NKINDS; i++) {
		st->gates[i].gate.name = names[i];
		st->gates[i].state = &st->code;
		st->gates[i].kind = i;
	}
	pid_files_init(st);
	return st;
}

static int pid_attach(struct probe *p, struct attach_env *env)
{
	int r = code_attach(p, env);

	if (!r)
		r = pid_files_attach(code_of(p)->gate, env);
	if (r)
		code_detach(p);
	return r;
}

/* The links of a file are of both gates: they are closed with the first one. */
static void pid_detach(struct probe *p)
{
	struct code_gate *g = code_of(p)->gate;

	files_detach(&pid_state_of(g->state->set)->files, &g->uprobes);
	code_detach(p);
}

static const struct provider_gates gate_table = {
	.gate = code_gate,
	.reserve = pid_reserve,
	.anchors = pid_anchors,
	.number = code_number,
	.select = code_select,
};

/* A function can consist of a return. */
static bool fires_first(const struct probe *p)
{
	return code_of(p)->gate->kind == PID_ENTRY;
}

const struct provider provider_pid = {
	.name = "pid",
	.attr = &attr,
	.gates = &gate_table,
	.provide = pid_provide,
	.ctx = code_ctx,
	.prologue = code_prologue,
	.args = pid_args,
	.arg = pid_arg,
	.attach = pid_attach,
	.detach = pid_detach,
	.matching = &(const struct provider_matching){ .matches = pid_matches, .process = pid_process },
	.values = &(const struct provider_values){ .emulated = code_emulated },
	.processes = &(const struct provider_processes){ .fires_first = fires_first, .follow = pid_follow },
	.everywhere = &(const struct provider_everywhere){ .means = pid_everywhere, .mapped = pid_mapped,
		.limit = pid_limit, .unmet = pid_unmet },
};
