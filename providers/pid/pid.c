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
	st->set = s;
	for (unsigned i = 0; i < PID_NKINDS; i++) {
		st->gates[i].gate.name = names[i];
		st->gates[i].state = st;
		st->gates[i].kind = (enum pid_kind)i;
	}
	return st;
}

static enum ir_ctx pid_ctx(const struct probe *p)
{
	(void)p;
	return IR_C_UPROBE;
}

const struct probe_gate *pid_gate(const struct probe *p)
{
	return &pid_probe_of(p)->gate->gate;
}

uint32_t pid_number(const struct probe *p)
{
	return pid_probe_of(p)->number;
}

static const struct provider_gates gate_table = {
	.gate = pid_gate,
	.reserve = pid_reserve,
	.anchors = pid_anchors,
	.number = pid_number,
	.select = pid_select,
};

const struct provider provider_pid = {
	.name = "pid",
	.attr = &attr,
	.gates = &gate_table,
	.per_process = true,
	.provide = pid_provide,
	.matches = pid_matches,
	.ctx = pid_ctx,
	.prologue = pid_prologue,
	.arg = pid_arg,
	.attach = pid_attach,
	.detach = pid_detach,
	.follow = pid_follow,
};
