/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The dtrace provider: BEGIN before all other probes, END after them, ERROR after a fault.
 * Nothing is attached: the session runs BEGIN and END, a fault enters ERROR.
 */
#include "providers/registry.h"

/* A probe's data points to its row. */
static const struct dtrace_probe {
	const char *name;
	enum ir_ctx ctx;
	enum ir_state state;
} rows[] = {
	{ "BEGIN", IR_C_RUN, IR_S_BEGIN },
	{ "END", IR_C_RUN, IR_S_END },
	{ "ERROR", IR_C_ERROR, IR_S_ACTIVE },
};

static const struct provider_attr attr = {
	.provider = { ST_STABLE, ST_STABLE, SC_COMMON },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_STABLE, ST_STABLE, SC_COMMON },
	.args = { ST_STABLE, ST_STABLE, SC_COMMON },
};

static const struct dtrace_probe *row_of(const struct probe *p)
{
	return p->data;
}

static void dtrace_enumerate(const struct provider *self, struct probe_set *s)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		probe_add(s, self, &(struct probe_names){ .name = rows[i].name }, (void *)&rows[i]);
}

static enum ir_ctx dtrace_ctx(const struct probe *p)
{
	return row_of(p)->ctx;
}

static enum ir_state dtrace_state(const struct probe *p)
{
	return row_of(p)->state;
}

/* Arguments of ERROR: arg1 epid, arg2 action, arg3 offset in DTrace's own code (always -1 here), arg4 kind of the
 * fault, arg5 its value. */
static ir_reg dtrace_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	static const int param[] = { -1, 0, 1, -1, 2, 3 };

	(void)alt;
	if (row_of(p)->ctx != IR_C_ERROR || n >= sizeof param / sizeof *param)
		return 0;
	if (n == 3)
		return ir_emit(b, IR_MOV, ir_i(-1));
	return param[n] < 0 ? 0 : ir_emit(b, IR_PARAM, ir_i(param[n]));
}

const struct provider provider_dtrace = {
	.name = "dtrace",
	.attr = &attr,
	.enumerate = dtrace_enumerate,
	.ctx = dtrace_ctx,
	.arg = dtrace_arg,
	.firing = &(const struct provider_firing){ .state = dtrace_state },
};
