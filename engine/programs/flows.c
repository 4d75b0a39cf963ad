/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/flows.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/symbols/elf.h"

enum { CODE_MAX = 16 << 20 };		/* bytes of a function */

struct flow *flows_at(const struct flows *x, uint64_t off)
{
	size_t lo = 0, hi = x->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (x->v[mid].off < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < x->n && x->v[lo].off == off ? &x->v[lo] : NULL;
}

static void find_leaders(struct flows *x)
{
	for (size_t i = 0; i < x->n; i++) {
		struct flow *f = &x->v[i], *to = flow_jumps(f) ? flows_at(x, f->target) : NULL;

		if (to)
			to->leader = true;
		if ((f->kind != FLOW_NEXT || f->call) && i + 1 < x->n)
			x->v[i + 1].leader = true;
	}
	if (x->n)
		x->v[0].leader = true;
}

int flows_read(struct flows *x, const struct decoder *d, const struct elf *e, const struct program_function *f)
{
	uint8_t *code = f->size <= CODE_MAX ? malloc(f->size) : NULL;
	uint32_t exits = 0;
	int r = -ENOMEM;

	x->n = 0;
	x->v = code ? calloc(f->size, sizeof *x->v) : NULL;
	if (x->v)
		r = elf_read(e, f->off, code, f->size) ? 0 : -EIO;
	for (uint64_t at = 0; !r && at < f->size;) {
		uint64_t off = f->off + at;
		struct insn i;

		if (!decoder_insn(d, e->is64, code + at, f->size - at, &i)) {
			r = -ENOEXEC;
			break;
		}
		decoder_follow(&exits, &i);
		x->v[x->n++] = (struct flow){
			.off = off, .target = off + (uint64_t)i.target, .why = i.refused, .size = i.size,
			.kind = (uint8_t)i.flow, .call = i.call, .stops = i.stops, .lands = i.lands,
			.address = i.address, .emulated = i.emulated,
		};
		at += i.size;
	}
	free(code);
	if (!r)
		find_leaders(x);
	return r;
}

void flows_free(struct flows *x)
{
	free(x->v);
	*x = (struct flows){ 0 };
}
