/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Accesses to variables of processes: watch123:::counter. */
#include "providers/watch/watch.h"

static const struct provider_attr attr = {
	.provider = { ST_UNSTABLE, ST_UNSTABLE, SC_COMMON },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.args = { ST_UNSTABLE, ST_UNSTABLE, SC_COMMON },
};

/* What depends on the size of the variable. */
static const struct width {
	enum ir_op load, extend;
	const char *type[2];		/* unsigned, signed */
} widths[] = {
	[1] = { IR_LD8, IR_SEXT8, { "uint8_t", "int8_t" } },
	[2] = { IR_LD16, IR_SEXT16, { "uint16_t", "int16_t" } },
	[4] = { IR_LD32, IR_SEXT32, { "uint32_t", "int32_t" } },
	[8] = { IR_LD64, IR_MOV, { "uint64_t", "int64_t" } },
};

static enum ir_ctx watch_ctx(const struct probe *p)
{
	(void)p;
	return IR_C_PERF;
}

static unsigned watch_args(const struct probe *p, struct arg_desc *out, unsigned max)
{
	const struct watch_probe *d = watch_probe_of(p);
	const struct arg_desc args[] = { { .native = widths[d->size].type[d->is_signed] }, { .native = "uintptr_t" } };
	unsigned n = 0;

	for (; n < 2 && n < max; n++)
		out[n] = args[n];
	return n;
}

static uint32_t value_object(struct ir_builder *b)
{
	int64_t found = ir_obj_find(b->prog, "watch.value");

	return found >= 0 ? (uint32_t)found :
	       ir_obj_add(b->prog, &(struct ir_obj){ .name = "watch.value", .kind = IR_O_TEMP, .size = 8 });
}

/* arg0: the value after the access; arg1: the address. */
static ir_reg watch_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	const struct watch_probe *d = watch_probe_of(p);
	const struct width *w = &widths[d->size];
	ir_reg address, value;
	uint32_t object;

	(void)alt;
	if (n > 1)
		return 0;
	address = ir_emit(b, IR_MOV, ir_i((int64_t)d->addr));
	if (n == 1)
		return address;
	object = value_object(b);
	ir_emit(b, IR_UREAD, ir_m(object, 0), ir_i((int64_t)d->size), ir_r(address));
	value = ir_emit(b, w->load, ir_m(object, 0));
	return d->is_signed ? ir_emit(b, w->extend, ir_r(value)) : value;
}

const struct provider provider_watch = {
	.name = "watch",
	.attr = &attr,
	.per_process = true,
	.provide = watch_provide,
	.matches = watch_matches,
	.args = watch_args,
	.ctx = watch_ctx,
	.arg = watch_arg,
	.attach = watch_attach,
	.detach = watch_detach,
};
