/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A format through its parser and the printer. The first line of the input is the format; the rest provides the values
 * of the arguments, byte by byte. An input that starts with '@' is for printa(). Integers and characters must be
 * printed as by C's printf. Control characters must be escaped unless they are in the format.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/print.h"
#include "tests/fuzz/fuzz.h"

enum { MAXARGS = 64, RECORD = 4096, TABLES = 3, ROWS = 4, C_MOST = 4096 };

/* The bytes after the format, then zeros. */
struct printf_bytes {
	const uint8_t *p, *end;
};

static uint64_t take(struct printf_bytes *b, unsigned n)
{
	uint64_t v = 0;

	for (; n; n--)
		v = v << 8 | (b->p < b->end ? *b->p++ : 0);
	return v;
}

struct record {
	uint8_t *data;			/* RECORD bytes */
	struct val_field field[MAXARGS];
	unsigned n;
	uint32_t off;
};

static void add_int(struct record *r, struct printf_bytes *b, uint8_t kind, unsigned log)
{
	uint32_t size = 1u << log;
	uint64_t v;

	if (r->n == MAXARGS || r->off + 16 > RECORD)
		return;
	r->off = (r->off + size - 1) & -size;
	v = take(b, size);
	memcpy(r->data + r->off, &v, size);
	r->field[r->n++] = (struct val_field){ .off = r->off, .size = size, .kind = kind, .is_signed = take(b, 1) & 1 };
	r->off += size;
}

/* Strings may lack their NUL: the printer must end at the field's size. */
static void add_bytes(struct record *r, struct printf_bytes *b, uint8_t kind)
{
	uint32_t size = (uint32_t)take(b, 1) % 64 + 1;

	if (r->n == MAXARGS || r->off + size > RECORD)
		return;
	for (uint32_t i = 0; i < size; i++)
		r->data[r->off + i] = (uint8_t)take(b, 1);
	r->field[r->n++] = (struct val_field){ .off = r->off, .size = size, .kind = kind };
	r->off = (r->off + size + 7) & ~7u;
}

static void add_values(struct record *r, const struct conv *c, struct printf_bytes *b)
{
	for (unsigned i = 0; i < (unsigned)c->dynwidth + c->dynprec; i++)
		add_int(r, b, VAL_INT, 2);
	if (c->kind == CONV_STR)
		add_bytes(r, b, take(b, 1) % 8 ? VAL_STR : VAL_BYTES);
	else if (c->kind != CONV_TEXT && c->kind != CONV_AGG)
		add_int(r, b, c->kind == CONV_PTR ? VAL_PTR : VAL_INT, take(b, 1) % 4);
}

static void check_output(const struct buf *out, const struct fmt *f, size_t rows)
{
	size_t most = strlen(f->text) + 1;

	for (unsigned i = 0; i < f->n; i++)
		most += 65536 + (size_t)(f->conv[i].width > 0 ? f->conv[i].width : 0) +
			(size_t)(f->conv[i].prec > 0 ? f->conv[i].prec : 0);
	FUZZ_CHECK(!out->failed, "no memory for %zu bytes", out->len);
	FUZZ_CHECK(out->len <= rows * most, "%zu bytes of output", out->len);
}

/* The output must not contain control characters, unless the format does. */
static void check_safe(const struct buf *out, const struct fmt *f)
{
	size_t n = out->len;

	for (unsigned i = 0; i < f->n; i++) {
		size_t len = f->conv[i].len;

		if (f->conv[i].kind == CONV_TEXT && escape_width(f->conv[i].text, &len, SIZE_MAX, ESCAPE_TEXT) != len)
			return;
	}
	FUZZ_CHECK(escape_width(buf_str(out), &n, SIZE_MAX, ESCAPE_TEXT) == out->len, "\"%s\" is not escaped",
		   buf_str(out));
}

/* The corresponding format in C; its width and precision are arguments. */
static const char *c_format(char *to, const struct conv *c, char letter)
{
	const struct { bool on; char flag; } flags[] = {
		{ c->minus, '-' }, { c->zero, '0' }, { c->plus, '+' }, { c->space, ' ' }, { c->alt, '#' },
	};
	char *p = to;

	*p++ = '%';
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (flags[i].on)
			*p++ = flags[i].flag;
	strcpy(p, letter == 'c' ? "*.*" : "*.*ll");
	p[strlen(p) + 1] = '\0';
	p[strlen(p)] = letter;
	return to;
}

/* A width or precision: from the next field, or fixed. */
static int64_t c_number(struct record *r, unsigned *field, bool dynamic, int fixed)
{
	return dynamic && *field < r->n ? val_int(&r->field[(*field)++], r->data) : fixed;
}

/* Compares one conversion, whose values begin at field `first`, with C. In D the later one of '-' and '0' counts; %'d
 * and %hd are excluded. */
static void like_c(const struct conv *c, struct record *r, unsigned first)
{
	const struct fmt one = { .conv = (struct conv *)c, .n = 1, .text = "" };
	unsigned field = first, n = r->n - first;
	int64_t width = c_number(r, &field, c->dynwidth, c->width < 0 ? 0 : c->width);
	int64_t prec = c_number(r, &field, c->dynprec, c->prec);
	const struct val_field *f = &r->field[field];
	char format[32], want[2 * C_MOST + 64];
	struct buf got = { 0 };
	uint64_t v;
	int len;

	if ((c->kind != CONV_INT && c->spec != 'c') || c->kind == CONV_WCHAR || c->kind == CONV_AGG || c->group ||
	    c->bits ||
	    (c->minus && c->zero) || field >= r->n || width > C_MOST || width < -C_MOST || prec > C_MOST)
		return;
	v = (uint64_t)val_int(f, r->data);
	if (c->kind == CONV_CHAR) {
		len = snprintf(want, sizeof want, c_format(format, c, 'c'), (int)width, (int)prec, (int)v);
	} else {
		bool sign = f->is_signed && strchr("di", c->spec);

		v &= sign ? UINT64_MAX : UINT64_MAX >> (64 - 8 * f->size);
		len = snprintf(want, sizeof want,
			       c_format(format, c, sign ? 'd' : strchr("di", c->spec) ? 'u' : c->spec), (int)width,
			       (int)prec, (unsigned long long)v);
	}
	print_format(&got, &(struct rec_act){ .fmt = &one, .fields = &r->field[first], .nfields = n }, r->data, NULL,
		     ESCAPE_NOTHING);
	FUZZ_CHECK(got.len == (size_t)len && !memcmp(want, buf_str(&got), got.len),
		"%s of %llx: \"%s\" instead of \"%s\"", format,
		   (unsigned long long)v, buf_str(&got), want);
	buf_free(&got);
}

static void print_record(const struct fmt *f, struct printf_bytes *b)
{
	struct record r = { .data = malloc(RECORD) };
	struct buf out = { 0 };

	for (unsigned i = 0; i < f->n; i++) {
		unsigned first = r.n;

		add_values(&r, &f->conv[i], b);
		like_c(&f->conv[i], &r, first);
	}
	print_format(&out, &(struct rec_act){ .fmt = f, .fields = r.field, .nfields = r.n }, r.data, NULL, ESCAPE_TEXT);
	check_output(&out, f, 1);
	for (unsigned i = 0; i < r.n; i++)
		print_trace(&out, &r.field[i], r.data, i % 2);
	check_safe(&out, f);
	buf_free(&out);
	free(r.data);
}

/* Aggregations whose keys match the format, with any functions. */
static void describe(struct agg_desc *d, struct record *r, struct printf_bytes *b, unsigned i)
{
	static const struct agg_spec quantiles[] = {
		{ { 0, 100, 10 }, 3 }, { { 10, 0, 6, 20 }, 4 }, { { -5, 5, 1 }, 3 },
	};
	unsigned n = 0;

	while (agg_funcs[n])
		n++;
	*d = (struct agg_desc){ .name = "a", .id = i, .func = agg_funcs[take(b, 1) % n], .nkeys = r->n };
	if (d->func->max_params)
		d->spec = quantiles[strcmp(d->func->name, "llquantize") ? i % 2 * 2 : 1];
	for (unsigned k = 0; k < r->n; k++)
		d->key[k] = r->field[k];
	d->keysize = (r->off + 7) & ~7u;
	d->valsize = d->func->size(&d->spec);
}

static void fill(struct agg_table *t, struct record *r, struct printf_bytes *b)
{
	int64_t *value = calloc(1, t->desc->valsize);
	uint8_t *key = calloc(1, t->desc->keysize + 1);

	for (unsigned row = 0; row < ROWS; row++) {
		memcpy(key, r->data, t->desc->keysize);
		if (t->desc->keysize)
			key[take(b, 1) % t->desc->keysize] ^= (uint8_t)row;
		for (unsigned i = 0; i < 4; i++)
			value[take(b, 2) % (t->desc->valsize / 8)] = (int64_t)take(b, row % 2 ? 8 : 1);
		agg_table_add(t, key, value);
	}
	t->normal = take(b, 1) ? (__int128)take(b, 4) + 1 : 1;
	t->normal = take(b, 1) & 1 ? -t->normal : t->normal;
	free(value);
	free(key);
}

static unsigned make_tables(struct agg_table *t, struct agg_desc *d, struct record *r, struct printf_bytes *b)
{
	unsigned n = 1 + (unsigned)take(b, 1) % TABLES;

	if (r->n > AGG_MAXKEYS)
		r->n = AGG_MAXKEYS;
	for (unsigned i = 0; i < n; i++) {
		describe(&d[i], r, b, i);
		agg_table_init(&t[i], &d[i]);
		fill(&t[i], r, b);
	}
	return n;
}

static void print_tables(const struct fmt *f, struct printf_bytes *b)
{
	struct record r = { .data = calloc(1, RECORD) };
	struct agg_desc d[TABLES];
	struct agg_table t[TABLES];
	const struct agg_table *list[TABLES] = { &t[0], &t[1], &t[2] };
	struct agg_order o = { .by_key = take(b, 1) & 1, .reverse = take(b, 1) & 1, .keypos = take(b, 1) % 4 };
	struct buf out = { 0 };
	unsigned n;

	for (unsigned i = 0; i < f->n; i++)
		add_values(&r, &f->conv[i], b);
	n = make_tables(t, d, &r, b);
	o.pos = take(b, 1) % 8;
	print_printa(&out, f, &(struct print_tables){ list, n, &o }, NULL, NULL);
	check_output(&out, f, ROWS * TABLES);
	agg_print_joint(&out, list, n, &o);
	agg_print(&out, &t[0], &o);
	agg_table_trunc(&t[0], (int64_t)take(b, 1) - 128);
	agg_print(&out, &t[0], &o);
	check_safe(&out, f);
	for (unsigned i = 0; i < n; i++)
		agg_table_free(&t[i]);
	buf_free(&out);
	free(r.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool printa = size && *data == '@';
	const uint8_t *text = data + printa, *end = data + size;
	const uint8_t *line = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
	struct printf_bytes b = { line ? line + 1 : end, end };
	char *copy = fuzz_text(text, (size_t)((line ? line : end) - text));
	struct source src = { .name = "input", .text = copy, .len = strlen(copy) };
	struct arena a;
	struct diags d;
	struct fmt *f;

	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	f = fmt_parse(&a, copy, (size_t)((line ? line : end) - text), (struct loc){ &src, 1, 1 }, printa, &d);
	FUZZ_CHECK(!f == !!d.nerrors, "%zu errors", d.nerrors);
	fuzz_diags(&d, DIAG_NTAGS);
	if (f && printa)
		print_tables(f, &b);
	else if (f)
		print_record(f, &b);
	arena_free(&a);
	free(copy);
	return 0;
}
