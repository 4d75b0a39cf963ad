/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints aggregations as printa() without a format does. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation/func.h"
#include "base/escape.h"

enum { STRING_WIDTH = 50 };

static int key_width(uint32_t size)
{
	return size == 8 ? 16 : size == 4 ? 8 : size == 2 ? 5 : 3;
}

static void print_symbolic(struct buf *out, const struct val_field *f, const uint8_t *key,
			   const struct val_names *names)
{
	struct buf b = { 0 };

	if (f->kind == VAL_STACK || f->kind == VAL_USTACK) {
		val_show(out, names, f, key);
		return;
	}
	val_show(&b, names, f, key);
	buf_printf(out, "  %-*s", STRING_WIDTH, buf_str(&b));
	out->failed |= b.failed;
	buf_free(&b);
}

static void print_field(struct buf *out, const struct val_field *f, const uint8_t *key, const struct val_names *names)
{
	long long v = (long long)val_int(f, key);
	const char *text;
	char hex[24];

	if (val_is_symbolic(f->kind)) {
		print_symbolic(out, f, key, names);
		return;
	}

	switch (f->kind) {
	case VAL_STR:
		text = (const char *)key + f->off;
		buf_puts(out, "  ");
		escape_column(out, text, strnlen(text, f->size), -STRING_WIDTH, ESCAPE_LINE);
		break;
	case VAL_BYTES:
		if (f->is_signed)
			buf_printf(out, " %*Lg", key_width(f->size), val_float(f, key));
		else
			buf_dump(out, key + f->off, f->size);
		break;
	case VAL_PTR:
		snprintf(hex, sizeof hex, "0x%llx", (unsigned long long)v);
		buf_printf(out, " %*s", key_width(8), hex);
		break;
	default:
		buf_printf(out, f->is_signed ? " %*lld" : " %*llu", key_width(f->size), v);
	}
}

void agg_weigh(const struct agg_table *t, const int64_t *value)
{
	if (t->names && t->names->weigh)
		t->names->weigh(t->names->arg, value && t->desc->func == &agg_count ? (uint64_t)*value : 1);
}

void agg_print_key(struct buf *out, const struct agg_desc *d, const void *key, const struct val_names *names)
{
	for (unsigned i = 0; i < d->nkeys; i++)
		print_field(out, &d->key[i], key, names);
}

static void print_share(struct buf *out, const struct agg_table *t, const int64_t *value)
{
	struct share_interval i;
	double share;

	if (agg_samples_share(t, value, &share, &i))
		buf_printf(out, " %6.2f %% %6.2f .. %6.2f %%", 100 * share, 100 * i.low, 100 * i.high);
}

/* value NULL: the aggregation does not have this key; `nothing` is an empty cell. */
static void print_value(struct buf *out, const struct agg_table *t, const int64_t *value, const int64_t *nothing)
{
	const struct agg_func *f = t->desc->func;

	if (f->histogram)
		f->histogram(out, &t->desc->spec, value ? value : nothing, t->normal);
	else
		buf_printf(out, " %16lld", value ? (long long)f->number(&t->desc->spec, value, t->normal) : 0);
	print_share(out, t, value ? value : nothing);
}

int agg_print_rows(struct buf *out, const struct agg_table *t, const struct agg_order *o, void (*row_done)(void *arg),
		   void *arg)
{
	struct agg_row **rows;
	size_t n;

	if (agg_table_sort(t, o, &rows, &n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		agg_weigh(t, rows[i]->value);
		agg_print_key(out, t->desc, agg_row_key(t, rows[i]), t->names);
		print_value(out, t, rows[i]->value, NULL);
		buf_putc(out, '\n');
		if (row_done)
			row_done(arg);
	}
	free(rows);
	return 0;
}

int agg_print(struct buf *out, const struct agg_table *t, const struct agg_order *o)
{
	buf_putc(out, '\n');
	return agg_print_rows(out, t, o, NULL, NULL);
}

int agg_print_joint(struct buf *out, const struct agg_table *const *t, unsigned ntables, const struct agg_order *o)
{
	int64_t *nothing = calloc(1, AGG_MAXVALUE);
	struct agg_joint *rows;
	size_t n;

	if (!nothing || agg_join(t, ntables, o, &rows, &n) < 0) {
		free(nothing);
		return -ENOMEM;
	}
	buf_putc(out, '\n');
	for (size_t i = 0; i < n; i++) {
		agg_weigh(t[0], rows[i].value[0]);
		agg_print_key(out, rows[i].table->desc, agg_row_key(rows[i].table, rows[i].row), t[0]->names);
		for (unsigned k = 0; k < ntables; k++)
			print_value(out, t[k], rows[i].value[k], nothing);
		buf_putc(out, '\n');
	}
	free(rows);
	free(nothing);
	return 0;
}
