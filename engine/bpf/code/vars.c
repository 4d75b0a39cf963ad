/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/code/vars.h"

#include <linux/bpf.h>

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/code/rows.h"

enum {
	ARRAY_ROW_MAX = CACHE_LINE,		/* to copy a longer value costs more than the kernel's search */
	THREAD_ROW_MAX = 4 * CACHE_LINE,
};

static bool is_thread_map(const struct bpf_image *im, const struct bpf_place *pl)
{
	return im->maps.v[pl->map].role == BPF_MAP_THREAD;
}

uint32_t vars_value(const struct bpf_image *im, const struct bpf_place *pl)
{
	return is_thread_map(im, pl) ? 16 : 8;
}

static uint32_t row_end(const struct bpf_image *im, const struct bpf_place *pl)
{
	return vars_value(im, pl) + im->maps.v[pl->map].valsize;
}

uint32_t vars_row(const struct bpf_image *im, const struct bpf_place *pl)
{
	return (row_end(im, pl) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static bool is_wanted(const struct bpf_image *im, uint32_t obj)
{
	const struct ir_obj *o = &im->prog->objs.v[obj];

	if (!im->place[obj].used)
		return false;
	if (o->kind == IR_O_DYN)
		return o->keysize == 8 && vars_row(im, &im->place[obj]) <= ARRAY_ROW_MAX && !o->stacks &&
		       !o->generations;
	return o->kind == IR_O_THREAD && im->par.task.start && vars_row(im, &im->place[obj]) <= THREAD_ROW_MAX;
}

/* All thread-local variables of a map share the table of the first one. */
static const struct bpf_place *shared_place(const struct bpf_image *im, uint32_t obj)
{
	for (uint32_t i = 0; i < obj; i++)
		if (im->prog->objs.v[i].kind == IR_O_THREAD && im->prog->objs.v[obj].kind == IR_O_THREAD &&
		    im->place[i].rows && im->place[i].map == im->place[obj].map)
			return &im->place[i];
	return NULL;
}

/* The largest power of two of rows that fit; not more than the map may have elements. */
static uint32_t row_count(const struct bpf_image *im, uint32_t obj, uint64_t bytes)
{
	const struct bpf_place *pl = &im->place[obj];
	uint64_t most = is_thread_map(im, pl) ? UINT32_MAX : im->maps.v[pl->map].entries;
	uint32_t n = 1;

	while (2ull * n <= most && 2ull * n * vars_row(im, pl) <= bytes)
		n *= 2;
	return n > 1 ? n : 0;
}

void vars_place(struct bpf_image *im)
{
	uint64_t off = im->off_vars, tables = 0, bytes;

	for (uint32_t i = 0; i < im->prog->objs.n; i++)
		tables += is_wanted(im, i);
	bytes = im->par.all_vars / (tables ? tables : 1);
	if (bytes > im->par.vars)
		bytes = im->par.vars;
	for (uint32_t i = 0; i < im->prog->objs.n; i++) {
		const struct bpf_place *other;
		struct bpf_place *pl = &im->place[i];

		if (!is_wanted(im, i))
			continue;
		other = shared_place(im, i);
		if (other) {
			pl->rows = other->rows;
			pl->table = other->table;
			continue;
		}
		pl->rows = row_count(im, i, bytes);
		pl->table = (uint32_t)off;	/* if it does not fit, the image is refused */
		off += pl->rows ? CACHE_LINE + (uint64_t)pl->rows * vars_row(im, pl) : 0;
	}
	im->vars_size = off - im->off_vars;
}

/* ---- the generated code ---- */
struct var_search var_search(const struct bpf_image *im, const struct bpf_place *pl)
{
	return (struct var_search){ (int64_t)rows_factor(im->par.seed, 0) | 1, pl->rows, vars_row(im, pl),
				    row_end(im, pl) };
}

void var_first(struct asm_buf *a, const struct var_search *s)
{
	asm_movi(a, R1, s->factor);
	asm_alu(a, BPF_MUL, R1, R3);
	rows_first(a, s->rows);
}

void var_find(struct asm_buf *a, const struct var_search *s, uint32_t found)
{
	var_first(a, s);
	for (int i = 0; i < VAR_PROBES; i++) {
		rows_at(a, i, s->rows, s->row);
		asm_ld(a, BPF_DW, R0, R2, 0);
		asm_jcc(a, BPF_JEQ, R0, R3, found);
	}
}

void var_remove(struct asm_buf *a, const struct var_search *s)
{
	var_first(a, s);
	asm_movi(a, R4, 0);
	for (int i = 0; i < VAR_PROBES; i++) {
		uint32_t other = asm_label(a);

		rows_at(a, i, s->rows, s->row);
		asm_ld(a, BPF_DW, R0, R2, 0);
		asm_jcc(a, BPF_JNE, R0, R3, other);
		for (uint32_t at = 8; at < s->end; at += 8)
			asm_st(a, BPF_DW, R2, (int16_t)at, R4);
		asm_mov(a, R0, R4);
		asm_atomic(a, R2, 0, R0, BPF_XCHG);
		asm_bind(a, other);
	}
}
