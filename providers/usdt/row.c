/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where arguments are: one row for all places that have them at the same registers and addresses. */
#include <string.h>

#include "providers/usdt/usdt.h"

/* Makes the address relative to the instruction. Returns false if it has two registers. */
static bool relative(struct usdt_operand *o)
{
	if (o->base != USDT_NONE && o->base != USDT_IP) {
		if (o->index != USDT_NONE)
			return false;
		o->index = o->base;
		o->scale = 1;
	}
	o->base = USDT_IP;
	return true;
}

/* Symbols move with the code: they are at a distance from the probe that is the same in each process. */
static void resolve(struct probe_set *s, const struct program_module *m, const struct program_note *note,
		    struct usdt_operand *o)
{
	uint64_t address;

	if (o->kind == USDT_MEMORY && o->symbol) {
		if (!s->programs->symbol(s->code, m, o->symbol, o->symbol_len, &address) || !relative(o)) {
			o->kind = USDT_OTHER;
			return;
		}
		o->disp = (int64_t)((uint64_t)o->disp + address - note->address);
		o->symbol = NULL;
		o->symbol_len = 0;
	} else if (o->base == USDT_IP) {
		o->kind = USDT_OTHER;		/* relative to the next instruction, whose address is unknown */
	}
}

static struct usdt_row row_make(struct probe_set *s, const struct program_module *m, const struct program_note *note)
{
	struct usdt_row row = { .narrow = note->word < 8 };

	row.n = usdt_operands(note->args, note->word, row.arg, USDT_ARGS);
	for (unsigned i = 0; i < row.n; i++)
		resolve(s, m, note, &row.arg[i]);
	return row;
}

/* Places with the same text have the same row, unless a symbol's distance differs. */
uint32_t usdt_row_of(struct probe_set *s, struct usdt_state *st, const struct program_module *m,
		     const struct program_note *note)
{
	struct usdt_row row = row_make(s, m, note);
	const char *key = arena_printf(s->arena, "%u:%s", note->word, note->args);
	void **slot;

	for (unsigned i = 0; i < row.n; i++)
		if (row.arg[i].base == USDT_IP)
			key = arena_printf(s->arena, "%s:%llx", key, (unsigned long long)row.arg[i].disp);
	slot = map_put(&st->rows_by_text, key, strlen(key));
	if (*slot)
		return (uint32_t)(uintptr_t)*slot - 1;
	if (st->env && st->rows.n == st->compiled + USDT_SPARE_ROWS)
		return UINT32_MAX;
	*VEC_ADD(s->arena, &st->rows) = row;
	*slot = (void *)(uintptr_t)st->rows.n;
	if (st->env)
		usdt_set_row(s->arena, st, st->rows.n - 1);
	return (uint32_t)st->rows.n - 1;
}
