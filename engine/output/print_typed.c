/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * print(): a value and its type, in two layouts. Values are shown as in illumos: "int i = 0x14". Pointers to structures
 * are shown with their target as in Oracle's port: ".i = (int)20", without members that are zero.
 */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "engine/output/print.h"
#include "lang/types/type_find.h"

enum { AT_COLUMN = 44, MAXDEPTH = 64 };

struct print_value {
	struct buf *out;
	struct types *types;
	const uint8_t *bytes;
	uint64_t n;		/* number of bytes recorded */
};

static bool is_char(const struct type *t)
{
	return t->kind == T_INT && t->size == 1 && (!t->name || strstr(t->name, "char"));
}

static bool all_zero(const struct print_value *p, uint64_t off, uint64_t size)
{
	for (uint64_t i = off; i < off + size && i < p->n; i++)
		if (p->bytes[i])
			return false;
	return true;
}

/* The integer at a bit offset; bits = 0: the size of its type. */
static int64_t typed_int(const struct print_value *p, const struct type *t, uint64_t bitoff, uint32_t bits)
{
	uint64_t v = 0, at = bitoff / 8;
	unsigned shift = bits ? bitoff % 8 : 0, width = bits ? bits : (unsigned)t->size * 8;

	for (unsigned i = 0; i < 8 && at + i < p->n && i * 8 < shift + width; i++)
		v |= (uint64_t)p->bytes[at + i] << 8 * i;
	v >>= shift;
	if (width < 64) {
		v <<= 64 - width;
		return t->is_signed && t->kind != T_PTR ? (int64_t)v >> (64 - width) : (int64_t)(v >> (64 - width));
	}
	return (int64_t)v;
}

static void put_quoted(struct buf *out, const char *text, size_t n)
{
	buf_putc(out, '"');
	escape_put(out, text, strnlen(text, n), ESCAPE_LINE);
	buf_putc(out, '"');
}

/* A string or an array of characters: the recorded part, up to a NUL. */
static void typed_string(const struct print_value *p, const struct type *t, uint64_t bitoff)
{
	const char *text = (const char *)p->bytes + bitoff / 8;
	uint64_t left = bitoff / 8 < p->n ? p->n - bitoff / 8 : 0;

	put_quoted(p->out, text, t->size < left ? t->size : left);
}

static void typed_text(struct buf *out, const struct type *t);

static void typed_array(struct buf *out, const struct type *t)
{
	const struct type *of = t;

	while (of->kind == T_ARRAY)
		of = of->ref;
	typed_text(out, of);
	buf_putc(out, ' ');
	for (; t->kind == T_ARRAY; t = t->ref)
		buf_printf(out, "[%" PRIu64 "]", t->nelems);
}

static void typed_text(struct buf *out, const struct type *t)
{
	if (!t->name && (t->kind == T_STRUCT || t->kind == T_UNION || t->kind == T_ENUM))
		buf_puts(out, t->kind == T_STRUCT ? "struct" : t->kind == T_UNION ? "union" : "enum");
	else if (t->kind == T_ARRAY)
		typed_array(out, t);
	else
		type_print(out, t);
}

/* ---- Oracle's layout ---- */
static void indent_put(const struct print_value *p, unsigned depth)
{
	buf_pad(p->out, ' ', AT_COLUMN + depth);
}

static void at_value(const struct print_value *p, const struct type *t, uint64_t bitoff, uint32_t bits)
{
	int64_t v = typed_int(p, t, bitoff, bits);
	const char *name = t->kind == T_ENUM ? type_enumerator(t, v) : NULL;

	buf_putc(p->out, '(');
	typed_text(p->out, t);
	buf_putc(p->out, ')');
	if (t->kind == T_STRING)
		typed_string(p, t, bitoff);
	else if (t->kind == T_PTR)
		buf_printf(p->out, "0x%" PRIx64, (uint64_t)v);
	else if (name)
		buf_puts(p->out, name);
	else if (is_char(t) && v >= ' ' && v < 0x7f)
		buf_printf(p->out, "'%c'", (char)v);
	else
		buf_printf(p->out, t->is_signed ? "%" PRId64 : "%" PRIu64, v);
}

static void at_any(const struct print_value *p, struct type *t, uint64_t bitoff, uint32_t bits, unsigned depth);

static void at_members(const struct print_value *p, struct type *t, uint64_t bitoff, unsigned depth)
{
	type_members(p->types, t);
	for (unsigned i = 0; i < t->nmembers; i++) {
		const struct member *m = &t->members[i];
		uint64_t at = bitoff + m->bitoff;
		bool compound = m->type->kind == T_STRUCT || m->type->kind == T_UNION || m->type->kind == T_ARRAY ||
				m->type->kind == T_STRING;

		if (at / 8 >= p->n || (!compound && at / 8 + m->type->size > p->n)) {
			indent_put(p, depth);
			buf_puts(p->out, "...\n");
			return;
		}
		if (m->bits ? !typed_int(p, m->type, at, m->bits) : all_zero(p, at / 8, m->type->size))
			continue;
		indent_put(p, depth);
		if (m->name)
			buf_printf(p->out, ".%s = ", m->name);
		at_any(p, m->type, at, m->bits, depth);
		buf_puts(p->out, ",\n");
	}
}

static void at_elements(const struct print_value *p, struct type *t, uint64_t bitoff, unsigned depth)
{
	for (uint64_t i = 0; i < t->nelems; i++) {
		uint64_t at = bitoff / 8 + i * t->ref->size;

		if (at >= p->n) {
			indent_put(p, depth);
			buf_puts(p->out, "...\n");
			return;
		}
		if (all_zero(p, at, t->ref->size)) {
			if (is_char(t->ref))
				return;
			continue;
		}
		indent_put(p, depth);
		at_any(p, t->ref, at * 8, 0, depth);
		buf_puts(p->out, ",\n");
	}
}

static void at_any(const struct print_value *p, struct type *t, uint64_t bitoff, uint32_t bits, unsigned depth)
{
	bool array = t->kind == T_ARRAY;

	if (!array && t->kind != T_STRUCT && t->kind != T_UNION) {
		at_value(p, t, bitoff, bits);
		return;
	}
	buf_putc(p->out, '(');
	typed_text(p->out, t);
	buf_puts(p->out, array ? ") [\n" : ") {\n");
	if (depth < MAXDEPTH)
		array ? at_elements(p, t, bitoff, depth + 1) : at_members(p, t, bitoff, depth + 1);
	indent_put(p, depth);
	buf_putc(p->out, array ? ']' : '}');
}

/* ---- illumos' layout ---- */
static void of_value(const struct print_value *p, const struct type *t, uint64_t bitoff, uint32_t bits)
{
	int64_t v = typed_int(p, t, bitoff, bits);
	const char *name = t->kind == T_ENUM ? type_enumerator(t, v) : NULL;
	unsigned width = bits ? bits : (unsigned)t->size * 8;

	if (width < 64)
		v &= (1ll << width) - 1;
	if (t->kind == T_STRING)
		typed_string(p, t, bitoff);
	else if (name)
		buf_puts(p->out, name);
	else if (is_char(t) && v >= ' ' && v < 0x7f)
		buf_printf(p->out, "'%c'", (char)v);
	else
		buf_printf(p->out, v ? "0x%" PRIx64 : "%" PRIx64, (uint64_t)v);
}

static void of_type(const struct print_value *p, const struct type *t)
{
	if (!t->name && (t->kind == T_STRUCT || t->kind == T_UNION)) {
		typed_text(p->out, t);
		buf_putc(p->out, ' ');
	} else {
		typed_text(p->out, t);
	}
}

static void of_any(const struct print_value *p, struct type *t, uint64_t bitoff, uint32_t bits, unsigned depth);

static void of_array(const struct print_value *p, struct type *t, uint64_t bitoff, unsigned depth)
{
	if (is_char(t->ref)) {
		buf_puts(p->out, "[ ");
		typed_string(p, t, bitoff);
		buf_puts(p->out, " ]");
		return;
	}
	buf_puts(p->out, "[ ");
	for (uint64_t i = 0; i < t->nelems; i++) {
		if ((bitoff / 8 + i * t->ref->size) >= p->n) {
			buf_puts(p->out, "...");
			break;
		}
		of_any(p, t->ref, bitoff + i * t->ref->size * 8, 0, depth);
		buf_puts(p->out, i + 1 < t->nelems ? ", " : "");
	}
	buf_puts(p->out, " ]");
}

static void of_members(const struct print_value *p, struct type *t, uint64_t bitoff, unsigned depth)
{
	type_members(p->types, t);
	buf_puts(p->out, "{\n");
	for (unsigned i = 0; i < t->nmembers && depth < MAXDEPTH; i++) {
		const struct member *m = &t->members[i];
		bool compound = m->type->kind == T_STRUCT || m->type->kind == T_UNION;

		buf_pad(p->out, ' ', 4 * (depth + 1));
		if ((bitoff + m->bitoff) / 8 >= p->n) {
			buf_puts(p->out, "...\n");
			break;
		}
		of_type(p, m->type);
		if (m->name)
			buf_printf(p->out, m->type->kind == T_PTR ? "%s" : " %s", m->name);
		if (m->bits)
			buf_printf(p->out, " :%" PRIu32, m->bits);
		buf_puts(p->out, m->name || !compound ? " = " : " ");
		of_any(p, m->type, bitoff + m->bitoff, m->bits, depth + 1);
		buf_putc(p->out, '\n');
	}
	buf_pad(p->out, ' ', 4 * depth);
	buf_putc(p->out, '}');
}

static void of_any(const struct print_value *p, struct type *t, uint64_t bitoff, uint32_t bits, unsigned depth)
{
	if (t->kind == T_ARRAY)
		of_array(p, t, bitoff, depth);
	else if (t->kind == T_STRUCT || t->kind == T_UNION)
		of_members(p, t, bitoff, depth);
	else
		of_value(p, t, bitoff, bits);
}

void print_typed(struct buf *out, struct types *types, uint64_t most, const void *rec, const struct rec_act *a)
{
	const struct val_field *f = &a->fields[a->nfields - 1];
	struct print_value p = { out, types, (const uint8_t *)rec + f->off, f->size < most ? f->size : most };
	struct type *shown = a->shown;

	if (a->nfields > 1) {
		buf_printf(p.out, "0x%" PRIx64 " = *\n", (uint64_t)val_int(&a->fields[0], rec));
		indent_put(&p, 0);
		at_any(&p, shown->ref, 0, 0, 0);
	} else if (f->kind == VAL_STR) {
		buf_puts(p.out, "string ");
		put_quoted(p.out, (const char *)p.bytes, f->size);
	} else {
		of_type(&p, shown);
		buf_putc(p.out, ' ');
		of_any(&p, shown, 0, 0, 0);
	}
	buf_putc(p.out, '\n');
}
