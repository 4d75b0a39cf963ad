/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where arguments are: one row for all places that have them at the same registers and addresses. */
#include <string.h>

#include "providers/usdt/usdt.h"

/* Symbols move with the code: they are at a distance from the probe that is the same in each process, so the address
 * becomes relative to the instruction. That takes the place of a register: it can have one other. */
static void operand_resolve(const struct usdt_find *f, const struct program_module *m, const struct program_note *note,
			    struct usdt_operand *o)
{
	bool relative = o->base == USDT_IP, two = o->base != USDT_NONE && !relative && o->index != USDT_NONE;
	uint64_t address;

	if (o->kind != USDT_MEMORY || !o->symbol) {
		if (relative)
			o->kind = USDT_OTHER;	/* to the next instruction, whose address is unknown */
		return;
	}
	if (!f->set->programs->symbol(f->code, m, o->symbol, o->symbol_len, &address) || two) {
		o->kind = USDT_OTHER;
		return;
	}
	if (o->base != USDT_NONE && !relative) {
		o->index = o->base;
		o->scale = 1;
	}
	o->base = USDT_IP;
	o->disp = (int64_t)((uint64_t)o->disp + address - note->address);
	o->symbol = NULL;
	o->symbol_len = 0;
}

/* ---- before the program runs ---- */
/* Places with the same text have the same row, unless a symbol's distance differs. */
static uint32_t row_first(struct usdt_find *f, const struct usdt_row *row, const struct program_note *note)
{
	struct usdt_state *st = f->state;
	const char *key = arena_printf(f->arena, "%u:%s", note->word, note->args);
	void **slot;

	for (unsigned i = 0; i < row->n; i++)
		if (row->arg[i].base == USDT_IP)
			key = arena_printf(f->arena, "%s:%llx", key, (unsigned long long)row->arg[i].disp);
	slot = map_put(&st->rows_by_text, key, strlen(key));
	if (!*slot) {
		*VEC_ADD(f->set->arena, &st->rows) = *row;
		*slot = (void *)(uintptr_t)st->rows.n;
	}
	return (uint32_t)(uintptr_t)*slot - 1;
}

/* ---- while it runs ---- */
static bool operand_equal(const struct usdt_operand *x, const struct usdt_operand *y)
{
	return x->kind == y->kind && x->size == y->size && x->is_signed == y->is_signed && x->base == y->base &&
	       x->index == y->index && x->shift == y->shift && x->scale == y->scale && x->disp == y->disp;
}

static bool row_equal(const struct usdt_row *x, const struct usdt_row *y)
{
	if (x->n != y->n || x->narrow != y->narrow)
		return false;
	for (unsigned i = 0; i < x->n; i++)
		if (!operand_equal(&x->arg[i], &y->arg[i]))
			return false;
	return true;
}

/* Where a new row can be; UINT32_MAX: nowhere. */
static size_t row_free(const struct usdt_state *st)
{
	for (size_t i = st->compiled; i < st->rows.n; i++)
		if (!st->row_uses[i - st->compiled])
			return i;
	return st->rows.n < st->compiled + USDT_SPARE_ROWS ? st->rows.n : UINT32_MAX;
}

static uint32_t row_later(struct usdt_find *f, const struct usdt_row *row)
{
	struct usdt_state *st = f->state;
	size_t to;

	for (size_t i = 0; i < st->rows.n; i++)
		if (row_equal(&st->rows.v[i], row))
			return (uint32_t)i;
	to = row_free(st);
	if (to == UINT32_MAX)
		return UINT32_MAX;
	if (to == st->rows.n)
		VEC_ADD(f->set->arena, &st->rows);
	st->rows.v[to] = *row;
	usdt_set_row(st, to);
	return (uint32_t)to;
}

uint32_t usdt_row_of(struct usdt_find *f, const struct program_module *m, const struct program_note *note)
{
	struct usdt_row row = { .narrow = note->word < 8 };

	row.n = usdt_operands(note->args, note->word, row.arg, USDT_ARGS);
	for (unsigned i = 0; i < row.n; i++)
		operand_resolve(f, m, note, &row.arg[i]);
	return f->state->env ? row_later(f, &row) : row_first(f, &row, note);
}

void usdt_row_use(struct usdt_state *st, uint32_t row, int by)
{
	if (st->env && row >= st->compiled)
		st->row_uses[row - st->compiled] += (uint32_t)by;
}
