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
	const char *type = d->waits ? "int64_t" : widths[d->size].type[d->is_signed];
	const struct arg_desc args[] = { { .native = type }, { .native = "uintptr_t" } };
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

/* ---- variables that move ---- */
static ir_reg place_load(struct ir_builder *b, const struct watch_probe *d, unsigned word)
{
	const char *name = arena_printf(b->prog->arena, WATCH_PLACE, d->number);
	int64_t found = ir_obj_find(b->prog, name);
	uint64_t *init;
	uint32_t obj = (uint32_t)found;

	if (found < 0) {
		init = arena_calloc(b->prog->arena, WATCH_WORDS, sizeof *init);
		init[WATCH_ADDRESS] = d->addr;
		obj = ir_obj_add(b->prog, &(struct ir_obj){
			.name = name, .kind = IR_O_GLOBAL, .size = WATCH_WORDS * sizeof *init, .init = init,
		});
	}
	return ir_emit(b, IR_LD64, ir_m(obj, (int32_t)(8 * word)));
}

/* The value of a variable whose size was unknown. The number of bytes decides how much is read: the memory after it may
 * not be readable. */
static ir_reg value_of_size(struct ir_builder *b, const struct watch_probe *d, ir_reg address)
{
	ir_reg size = place_load(b, d, WATCH_SIZE), value = ir_newreg(b), left;
	uint32_t obj = value_object(b), done = ir_newblock(b, NULL), is_signed, is_unsigned, end;

	ir_emit(b, IR_ST64, ir_m(obj, 0), ir_i(0));
	for (unsigned i = 0; i < 4; i++) {
		uint32_t go = ir_newblock(b, NULL), next = ir_newblock(b, NULL);

		ir_emit(b, IR_BEQ, ir_r(size), ir_i(i), ir_b(go), ir_b(next));
		ir_enter(b, go);
		ir_emit(b, IR_UREAD, ir_m(obj, 0), ir_i(1 << i), ir_r(address));
		ir_emit(b, IR_JMP, ir_b(done));
		ir_enter(b, next);
	}
	ir_emit(b, IR_JMP, ir_b(done));
	ir_enter(b, done);
	/* 64 - 8 * size */
	left = ir_emit(b, IR_SUB, ir_i(64), ir_r(ir_emit(b, IR_SHL, ir_i(8), ir_r(size))));
	ir_emit_to(b, IR_SHL, value, ir_r(ir_emit(b, IR_LD64, ir_m(obj, 0))), ir_r(left));
	is_signed = ir_newblock(b, NULL);
	is_unsigned = ir_newblock(b, NULL);
	end = ir_newblock(b, NULL);
	ir_emit(b, IR_BNE, ir_r(place_load(b, d, WATCH_SIGNED)), ir_i(0), ir_b(is_signed), ir_b(is_unsigned));
	ir_enter(b, is_signed);
	ir_emit_to(b, IR_ASHR, value, ir_r(value), ir_r(left));
	ir_emit(b, IR_JMP, ir_b(end));
	ir_enter(b, is_unsigned);
	ir_emit_to(b, IR_LSHR, value, ir_r(value), ir_r(left));
	ir_emit(b, IR_JMP, ir_b(end));
	ir_enter(b, end);
	return value;
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
	address = d->moves ? place_load(b, d, WATCH_ADDRESS) : ir_emit(b, IR_MOV, ir_i((int64_t)d->addr));
	if (n == 1)
		return address;
	if (d->waits)
		return value_of_size(b, d, address);
	object = value_object(b);
	ir_emit(b, IR_UREAD, ir_m(object, 0), ir_i((int64_t)d->size), ir_r(address));
	value = ir_emit(b, w->load, ir_m(object, 0));
	return d->is_signed ? ir_emit(b, w->extend, ir_r(value)) : value;
}

const struct provider provider_watch = {
	.name = "watch",
	.attr = &attr,
	.provide = watch_provide,
	.args = watch_args,
	.ctx = watch_ctx,
	.arg = watch_arg,
	.attach = watch_attach,
	.detach = watch_detach,
	.matching = &(const struct provider_matching){ .matches = watch_matches },
	.processes = &(const struct provider_processes){ .follow = watch_follow, .moves = watch_moves },
};
