/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/print.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "base/json.h"

enum { STRING_WIDTH = 33, NAME_WIDTH = 32, MAX_WIDTH = 1 << 24, MAX_COMPUTED = 4096 };

/* ---- trace() and the lines around it ---- */
static int trace_width(const struct val_field *f)
{
	if (f->size == 8)
		return f->kind == VAL_INT && !f->is_signed ? 20 : 19;
	return f->size == 4 ? 10 : f->size == 2 ? 5 : 3;
}

void print_trace_float(struct buf *out, const struct val_field *f, const void *rec, bool quiet)
{
	buf_printf(out, "%s%*Lg", quiet ? "" : " ", quiet ? 0 : trace_width(f), val_float(f, rec));
}

/* Returns the characters to escape in a value: those of `set`, or fewer for text that the script itself contains. */
static enum escape_set field_set(const struct val_field *f, enum escape_set set)
{
	if (set == ESCAPE_NOTHING || f->origin == VAL_LITERAL)
		return ESCAPE_NOTHING;
	return f->origin == VAL_NAME ? ESCAPE_LINE : set;
}

void print_trace(struct buf *out, const struct val_field *f, const void *rec, bool quiet)
{
	const char *p = (const char *)rec + f->off;
	char number[32];

	switch (f->kind) {
	case VAL_STR:
		buf_puts(out, quiet ? "" : "  ");
		escape_column(out, p, strnlen(p, f->size), quiet ? 0 : -STRING_WIDTH,
			      field_set(f, ESCAPE_TEXT));
		if (val_lacks_rest(f, strnlen(p, f->size)))
			buf_puts(out, VAL_CUT_MARK);
		break;
	case VAL_BYTES:
		buf_dump(out, p, f->size);
		break;
	default:
		snprintf(number, sizeof number, f->kind == VAL_PTR ? "0x%llx" : f->is_signed ? "%lld" : "%llu",
			 (long long)val_int(f, rec));
		buf_printf(out, "%s%*s", quiet ? "" : " ", quiet ? 0 : trace_width(f), number);
	}
}

void print_header(struct buf *out)
{
	buf_printf(out, "%3s %6s %*s\n", "CPU", "ID", NAME_WIDTH, "FUNCTION:NAME");
}

void print_prefix(struct buf *out, int cpu, const struct probe *p)
{
	size_t n = strlen(p->name), len = 1 + escape_width(p->name, &n, SIZE_MAX, ESCAPE_LINE);

	buf_printf(out, "%3d %6u ", cpu, p->id);
	escape_column(out, p->func, strlen(p->func), len < NAME_WIDTH ? NAME_WIDTH - (int)len : 0, ESCAPE_LINE);
	buf_putc(out, ':');
	escape_put(out, p->name, n, ESCAPE_LINE);
	buf_putc(out, ' ');
}

/* ---- printf() and printa() with a format ---- */

/* The sources of the values of a line: fields of a record or key, and values of aggregations. */
struct print_line {
	const struct val_field *fields;
	unsigned nfields, next;			/* the field that comes next */
	const void *base;
	const struct val_names *names;
	const struct agg_table *const *tables;	/* printa: in parallel with values */
	const int64_t *const *values;		/* an entry is NULL where the key is not in that aggregation */
	unsigned ntables, next_agg;
	const int64_t *nothing;			/* shown instead of the histogram of such an entry */
	enum escape_set set;
};

/* A conversion with the values of its '*'. */
struct print_spec {
	const struct conv *c;
	int width;		/* 0 = none */
	bool left;
	int prec;		/* -1 = none */
	enum escape_set set;	/* of texts */
};

static const struct val_field *line_next(struct print_line *l)
{
	return l->next < l->nfields ? &l->fields[l->next++] : NULL;
}

/* Limits a width or precision. */
static int line_number(struct print_line *l, bool dynamic, int fixed)
{
	const struct val_field *f = dynamic ? line_next(l) : NULL;
	int64_t v = fixed, most = dynamic ? MAX_COMPUTED : MAX_WIDTH;

	if (f && (f->kind == VAL_INT || f->kind == VAL_PTR))
		v = val_int(f, l->base);
	return (int)(v > most ? most : v < -most ? -most : v);
}

/* As in C, a negative '*' width means '-', and a negative precision is ignored. */
static struct print_spec line_spec(struct print_line *l, const struct conv *c)
{
	struct print_spec s = { .c = c, .left = c->minus, .set = l->set };

	s.width = line_number(l, c->dynwidth, c->width < 0 ? 0 : c->width);
	if (s.width < 0) {
		s.left = true;
		s.width = -s.width;
	}
	s.prec = line_number(l, c->dynprec, c->prec);
	if (s.prec < 0)
		s.prec = -1;
	return s;
}

static void put_text(struct buf *out, const struct print_spec *s, const char *text, size_t len)
{
	escape_field(out, text, len, (struct escape_field){
		s->left ? -s->width : s->width, s->prec < 0 ? SIZE_MAX : (size_t)s->prec, s->set
	});
}

/* The same of a buffer, which is freed. */
static void put_text_take(struct buf *out, const struct print_spec *s, struct buf *text)
{
	put_text(out, s, buf_str(text), text->len);
	out->failed |= text->failed;
	buf_free(text);
}

enum { INT_DIGITS = 256 };	/* maximum that the C library writes, with separators */

/* "%+.*lld", "%.*Lf": the C format of a conversion; only this file checks the values that follow it. */
static void c_format(char *fmt, const struct print_spec *s, const char *length, char letter)
{
	const struct { bool on; char flag; } flags[] = {
		{ s->c->plus, '+' }, { s->c->space, ' ' }, { s->c->alt, '#' }, { s->c->group, '\'' },
	};

	*fmt++ = '%';
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (flags[i].on)
			*fmt++ = flags[i].flag;
	sprintf(fmt, ".*%s%c", length, letter);
}

/* Blanks, sign and prefix, zeros, digits, blanks. */
static void put_digits(struct buf *out, const struct print_spec *s, const char *text, size_t len, size_t zeros)
{
	size_t sign = *text == '-' || *text == '+' || *text == ' ';
	size_t prefix = text[sign] == '0' && (text[sign + 1] == 'x' || text[sign + 1] == 'X') ? sign + 2 : sign;
	size_t all = len + zeros, pad = (size_t)s->width > all ? (size_t)s->width - all : 0;

	if (s->c->zero && !s->left && s->prec < 0) {
		zeros += pad;
		pad = 0;
	}
	if (!s->left)
		buf_pad(out, ' ', pad);
	buf_put(out, text, prefix);
	buf_pad(out, '0', zeros);
	buf_put(out, text + prefix, len - prefix);
	if (s->left)
		buf_pad(out, ' ', pad);
}

/* f: the size of the value, and whether it is signed. */
static void put_int(struct buf *out, const struct print_spec *s, int64_t v, const struct val_field *f)
{
	char letter = s->c->kind == CONV_PTR ? 'x' : s->c->spec && strchr("ouxX", s->c->spec) ? s->c->spec :
		      f->is_signed ? 'd' : 'u';
	bool decimal = letter == 'd';
	/* only the bits within the size of the value: -1 as an int is ffffffff */
	unsigned bits = !decimal && f->size < 8 ? 8 * f->size : 64;
	char fmt[16], digits[2 * INT_DIGITS];
	int prec = s->prec > INT_DIGITS ? INT_DIGITS : s->prec, len;

	if (s->c->bits && s->c->bits < bits)
		bits = s->c->bits;
	v = (int64_t)((uint64_t)v << (64 - bits));
	v = decimal ? v >> (64 - bits) : (int64_t)((uint64_t)v >> (64 - bits));
	c_format(fmt, s, "ll", letter);
	len = snprintf(digits, sizeof digits, fmt, prec, (long long)v);
	if (len >= 0 && (size_t)len < sizeof digits)
		put_digits(out, s, digits, (size_t)len, s->prec > prec ? (size_t)(s->prec - prec) : 0);
}

static void put_float(struct buf *out, const struct print_spec *s, const char *p, size_t size)
{
	const struct val_field f = { .size = (uint32_t)size, .kind = VAL_BYTES, .is_signed = true };
	long double v = val_float(&f, p);
	struct print_spec digits = *s;
	struct buf text = { 0 };
	char fmt[16];

	c_format(fmt, s, "L", s->c->spec);
	buf_printf(&text, fmt, s->prec < 0 ? 6 : s->prec, v);
	digits.prec = -1;
	if (__builtin_isfinite(v))
		put_digits(out, &digits, buf_str(&text), text.len, 0);
	else
		put_text(out, &digits, buf_str(&text), text.len);	/* no zeros before "inf" */
	out->failed |= text.failed;
	buf_free(&text);
}

/* Nanoseconds since 1970 as local time. */
static void put_time(struct buf *out, const struct print_spec *s, int64_t ns)
{
	time_t t = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
	struct tm tm;
	char text[64];
	size_t n = 0;

	if (localtime_r(&t, &tm))
		n = strftime(text, sizeof text, s->c->spec == 'T' ? "%a, %d %b %Y %T %Z" : "%Y %b %e %H:%M:%S", &tm);
	put_text(out, s, text, n);
}

enum { MAX_DECIMALS = 18 };

/* num / den with decimals, rounded toward zero as normalize() does; den is not 0. */
static void put_fixed(struct buf *out, const struct print_spec *s, int64_t num, __int128 den)
{
	int decimals = s->prec < 0 ? 6 : s->prec < MAX_DECIMALS ? s->prec : MAX_DECIMALS;
	unsigned __int128 scale = 1, n = num < 0 ? -(__int128)num : num, d = den < 0 ? -den : den, v;
	bool negative;
	struct print_spec whole = *s;
	char text[2 * INT_DIGITS];
	int len;

	for (int i = 0; i < decimals; i++)
		scale *= 10;
	v = n * scale / d;
	negative = v && (num < 0) != (den < 0);
	len = snprintf(text, sizeof text, "%s%llu", negative ? "-" : s->c->plus ? "+" : s->c->space ? " " : "",
		       (unsigned long long)(v / scale));
	if (decimals)
		len += snprintf(text + len, sizeof text - (size_t)len, ".%0*llu", decimals,
				(unsigned long long)(v % scale));
	whole.prec = -1;
	put_digits(out, &whole, text, (size_t)len, 0);
}

/* The aggregation's value. Conversions beyond the last aggregation show the last one again, as DTrace does. */
static void put_agg(struct buf *out, const struct print_spec *s, struct print_line *l)
{
	static const struct val_field number = { .size = 8, .kind = VAL_INT, .is_signed = true };
	const struct agg_table *t;
	const struct agg_func *func;
	const int64_t *v;
	int64_t num = 0, den = 1;

	if (!l->ntables)
		return;
	t = l->tables[l->next_agg];
	v = l->values[l->next_agg];
	func = t->desc->func;
	if (l->next_agg + 1 < l->ntables)
		l->next_agg++;
	if (func->histogram) {
		func->histogram(out, &t->desc->spec, v ? v : l->nothing, t->normal);
		return;
	}
	if (s->c->spec != 'f') {
		__int128 normal = s->c->spec == 'r' ? 1 : t->normal;

		put_int(out, s, v ? func->number(&t->desc->spec, v, normal) : 0, &number);
		return;
	}
	if (v && func->fraction)
		func->fraction(v, &num, &den);
	else if (v)
		num = func->number(&t->desc->spec, v, 1);
	put_fixed(out, s, num, den * t->normal);
}

/* A symbolic value, or a number that is an address. */
static void put_symbol(struct buf *out, const struct print_spec *s, const struct print_line *l,
		       const struct val_field *f)
{
	const struct val_names *n = l->names;
	bool kernel = s->c->kind != CONV_USYM;
	struct buf b = { 0 };

	if (val_is_symbolic(f->kind))
		val_show(&b, n, f, l->base);
	else if (n && n->addr && (kernel || n->target >= 0))
		n->addr(n->arg, &b, kernel ? -1 : n->target, (uint64_t)val_int(f, l->base));
	else
		buf_printf(&b, "0x%llx", (unsigned long long)val_int(f, l->base));
	if (f->kind == VAL_STACK || f->kind == VAL_USTACK)
		buf_puts(out, buf_str(&b));
	else
		put_text(out, s, buf_str(&b), b.len);
	out->failed |= b.failed;
	buf_free(&b);
}

/* Unchanged; with the escapes of C (%S, %C); with those of JSON (%J). */
static void put_string(struct buf *out, const struct print_spec *s, const char *p, size_t n)
{
	struct buf b = { 0 };

	if (!strchr("SCJ", s->c->spec)) {
		put_text(out, s, p, n);
		return;
	}
	if (s->c->spec == 'J')
		json_string(&b, p, n);
	else
		escape_put(&b, p, n, ESCAPE_C);
	put_text_take(out, s, &b);
}

/* As UTF-8. An invalid character is '?'. */
static void put_utf8(struct buf *b, uint32_t ch)
{
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
	unsigned more;

	if (ch > 0x10ffff || (ch >= 0xd800 && ch < 0xe000))
		ch = '?';
	more = ch < 0x80 ? 0 : ch < 0x800 ? 1 : ch < 0x10000 ? 2 : 3;
	buf_putc(b, (char)(lead[more] | ch >> 6 * more));
	while (more--)
		buf_putc(b, (char)(0x80 | (ch >> 6 * more & 0x3f)));
}

/* Up to n wide characters; 0 ends them. */
static void put_wide(struct buf *out, const struct print_spec *s, const char *p, size_t n)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint32_t ch;

		memcpy(&ch, p + 4 * i, sizeof ch);
		if (!ch && s->c->kind == CONV_WSTR)
			break;
		put_utf8(&b, ch);
	}
	put_text_take(out, s, &b);
}

static void put_port(struct buf *out, const struct print_spec *s, uint16_t port)
{
	struct servent ent, *found = NULL;
	char room[1024], text[8];

	if (getservbyport_r(htons(port), NULL, &ent, room, sizeof room, &found) != 0 || !found) {
		put_text(out, s, text, (size_t)snprintf(text, sizeof text, "%u", port));
		return;
	}
	put_text(out, s, found->s_name, strlen(found->s_name));
}

/* One character, whatever the precision. */
static void put_char(struct buf *out, const struct print_spec *s, int64_t v)
{
	struct print_spec whole = *s;
	uint32_t wide = (uint32_t)v;
	char ch = (char)v;

	whole.prec = -1;
	if (s->c->kind == CONV_WCHAR)
		put_wide(out, &whole, (const char *)&wide, 1);
	else
		put_string(out, &whole, &ch, 1);
}

static void put_number(struct buf *out, const struct print_spec *s, int64_t v, const struct val_field *f)
{
	switch (s->c->kind) {
	case CONV_CHAR:
	case CONV_WCHAR:
		put_char(out, s, v);
		break;
	case CONV_TIME:
		put_time(out, s, v);
		break;
	case CONV_PORT:
		put_port(out, s, (uint16_t)v);
		break;
	default:
		put_int(out, s, v, f);
	}
}

static void put_cgroup(struct buf *out, const struct print_spec *s, const struct print_line *l,
		       const struct val_field *f)
{
	struct buf name = { 0 };

	val_show(&name, l->names, f, l->base);
	put_string(out, s, buf_str(&name), name.len);
	out->failed |= name.failed;
	buf_free(&name);
}

static void put_field(struct buf *out, struct print_spec *s, struct print_line *l)
{
	const struct val_field *f = line_next(l);
	const char *p;

	if (!f)
		return;
	p = (const char *)l->base + f->off;
	s->set = field_set(f, s->set);
	if (f->kind == VAL_STR) {
		put_string(out, s, p, strnlen(p, f->size));
		if (val_lacks_rest(f, strnlen(p, f->size)))
			buf_puts(out, VAL_CUT_MARK);
		return;
	}
	if (f->kind == VAL_BYTES && s->c->kind == CONV_WSTR) {
		put_wide(out, s, p, f->size / 4);
		return;
	}
	if (f->kind == VAL_BYTES && s->c->kind == CONV_FLOAT) {
		put_float(out, s, p, f->size);
		return;
	}
	if (f->kind == VAL_BYTES) {
		buf_dump(out, p, f->size);
		return;
	}
	if (val_is_cgroup(f->kind)) {
		put_cgroup(out, s, l, f);
		return;
	}
	if (val_is_symbolic(f->kind) || s->c->kind == CONV_SYM || s->c->kind == CONV_USYM) {
		put_symbol(out, s, l, f);
		return;
	}
	put_number(out, s, val_int(f, l->base), f);
}

static void put_line(struct buf *out, const struct fmt *fmt, struct print_line *l)
{
	for (unsigned i = 0; i < fmt->n; i++) {
		const struct conv *c = &fmt->conv[i];
		struct print_spec s;

		if (c->kind == CONV_TEXT) {
			buf_put(out, c->text, c->len);
			continue;
		}
		s = line_spec(l, c);
		if (c->at || c->kind == CONV_AGG)
			put_agg(out, &s, l);
		else
			put_field(out, &s, l);
	}
}

void print_format(struct buf *out, const struct rec_act *a, const void *rec, const struct val_names *names,
		  enum escape_set set)
{
	struct print_line l = { .fields = a->fields, .nfields = a->nfields, .base = rec, .names = names, .set = set };

	put_line(out, a->fmt, &l);
}

static int64_t *empty_cell(const struct agg_table *const *t, unsigned ntables)
{
	uint32_t size = 8;

	for (unsigned i = 0; i < ntables; i++)
		if (t[i]->desc->valsize > size)
			size = t[i]->desc->valsize;
	return calloc(1, size);
}

/* l: with the members that are the same for all rows. */
static void printa_row(struct buf *out, const struct fmt *fmt, struct print_line *l, const struct agg_joint *row)
{
	const struct agg_desc *d = row->table->desc;

	l->fields = d->key;
	l->nfields = d->nkeys;
	l->base = agg_row_key(row->table, row->row);
	l->values = row->value;
	l->next = l->next_agg = 0;
	agg_weigh(l->tables[0], row->value[0]);
	put_line(out, fmt, l);
}

void print_printa_row(struct buf *out, const struct fmt *fmt, const struct agg_table *const *t, unsigned ntables,
		      const struct agg_joint *row)
{
	int64_t *nothing = empty_cell(t, ntables);
	struct print_line l = { .tables = t, .ntables = ntables, .nothing = nothing, .names = t[0]->names,
				.set = ESCAPE_NOTHING };

	if (nothing)
		printa_row(out, fmt, &l, row);
	else
		out->failed = true;
	free(nothing);
}

int print_printa(struct buf *out, const struct fmt *fmt, const struct print_tables *t, void (*row_done)(void *arg),
		 void *arg)
{
	int64_t *nothing = empty_cell(t->v, t->n);
	struct print_line l = { .tables = t->v, .ntables = t->n, .nothing = nothing, .names = t->v[0]->names,
				.set = ESCAPE_LINE };
	struct agg_joint *rows;
	size_t n;

	if (!nothing || agg_join(t->v, t->n, t->order, &rows, &n) < 0) {
		free(nothing);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		printa_row(out, fmt, &l, &rows[i]);
		if (row_done)
			row_done(arg);
	}
	free(rows);
	free(nothing);
	return 0;
}
