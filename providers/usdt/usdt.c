/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes that are compiled into programs and libraries: python1234:::function-entry. */
#include "providers/usdt/usdt.h"

static const struct provider_attr attr = {
	.provider = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.args = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
};

struct usdt_state *usdt_state_of(struct probe_set *s)
{
	void **slot = probe_state_of(s, &provider_usdt);
	struct usdt_state *st = *slot;

	if (st)
		return st;
	*slot = st = arena_alloc(s->arena, sizeof *st);
	st->set = s;
	st->gate.name = "usdt";
	map_init(&st->rows_by_text, s->arena);
	usdt_files_init(st);
	return st;
}

static enum ir_ctx usdt_ctx(const struct probe *p)
{
	(void)p;
	return IR_C_UPROBE;
}

static const struct probe_gate *usdt_gate(const struct probe *p)
{
	return &usdt_probe_of(p)->state->gate;
}

static uint32_t usdt_number(const struct probe *p)
{
	return usdt_probe_of(p)->number;
}

static const struct usdt_row *row_at(const struct probe *p, size_t site)
{
	const struct usdt_probe *d = usdt_probe_of(p);

	return &d->state->rows.v[d->sites.v[site].row];
}

static const char *type_name(const struct usdt_operand *o)
{
	static const char *const names[2][4] = {
		{ "uint8_t", "uint16_t", "uint32_t", "uint64_t" }, { "int8_t", "int16_t", "int32_t", "int64_t" },
	};

	if (o->real)
		return o->size == 4 ? "float" : "double";
	return names[o->is_signed][o->size == 8 ? 3 : o->size / 2];
}

/* Notes have no types, only sizes and signs. */
static unsigned usdt_args(const struct probe *p, struct arg_desc *out, unsigned max)
{
	const struct usdt_row *row = row_at(p, 0);
	unsigned n = row->n < max ? row->n : max;

	for (unsigned i = 0; i < n; i++)
		out[i] = (struct arg_desc){ .native = type_name(&row->arg[i]) };
	return n;
}

static const char *usdt_lacks(const struct probe *p, unsigned n)
{
	for (size_t i = 0; i < usdt_probe_of(p)->sites.n; i++) {
		const struct usdt_row *row = row_at(p, i);

		if (n >= row->n || row->arg[n].kind != USDT_OTHER)
			continue;
		return row->arg[n].real ? "it is a floating-point number" : "the probe's note does not say where it is";
	}
	return NULL;
}

static const struct provider_gates gate_table = {
	.gate = usdt_gate,
	.number = usdt_number,
	.select = usdt_select,
	.reserve = usdt_reserve,
	.anchors = usdt_anchors,
};

const struct provider provider_usdt = {
	.name = "usdt",
	.attr = &attr,
	.gates = &gate_table,
	.provide = usdt_provide,
	.args = usdt_args,
	.ctx = usdt_ctx,
	.prologue = usdt_prologue,
	.arg = usdt_arg,
	.attach = usdt_attach,
	.detach = usdt_detach,
	.matching = &(const struct provider_matching){ .claims = usdt_claims, .process = usdt_process,
		.matches = usdt_matches },
	.values = &(const struct provider_values){ .lacks = usdt_lacks },
	.processes = &(const struct provider_processes){ .follow = usdt_follow },
	.everywhere = &(const struct provider_everywhere){ .means = usdt_everywhere, .mapped = usdt_mapped },
};
