/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Output as text, in DTrace's layouts; and which formats there are. */
#include "engine/output/printer.h"

#include <string.h>

#include "base/json.h"
#include "engine/output/picture/picture.h"

#include "engine/output/print.h"

/* A stack stands on lines of its own, a symbol in a column. */
static void text_show(struct dtr *t, const void *rec, const struct rec_act *a)
{
	struct buf b = { 0 };

	for (unsigned i = 0; i < a->nfields; i++) {
		const struct val_field *f = &a->fields[i];

		buf_reset(&b);
		val_show(&b, &t->names, f, rec);
		buf_printf(&t->out, f->kind == VAL_STACK || f->kind == VAL_USTACK ? "%s" : "  %-50s", buf_str(&b));
	}
	t->out.failed |= b.failed;
	buf_free(&b);
}

/* As DTrace decides: a string, or bytes that are one followed by nothing but NULs, of characters that can be printed. */
static bool is_text(const struct val_field *f, const char *p)
{
	size_t n = strnlen(p, f->size), len;

	for (size_t i = n; f->kind == VAL_BYTES && i < f->size; i++)
		if (p[i])
			return false;
	for (size_t i = 0; i < n; i += len) {
		unsigned char ch = (unsigned char)p[i];

		len = ch < 0x80 ? 1 : json_utf8_length((const unsigned char *)p + i, n - i);
		if (!len || ch == 0x7f || (ch < ' ' && !strchr("\a\b\t\n\v\f\r", ch)))
			return false;
	}
	return n || f->kind == VAL_STR;
}

static void text_trace(struct dtr *t, const void *rec, const struct rec_act *a)
{
	for (unsigned i = 0; i < a->nfields; i++) {
		struct val_field f = a->fields[i];

		if (a->shown && !t->opts.rawbytes) {
			print_trace_float(&t->out, &f, rec, t->opts.quiet);
			continue;
		}
		if (f.kind == VAL_STR || f.kind == VAL_BYTES)
			f.kind = !t->opts.rawbytes && is_text(&f, (const char *)rec + f.off) ? VAL_STR : VAL_BYTES;
		print_trace(&t->out, &f, rec, t->opts.quiet);
	}
}

static void text_printf(struct dtr *t, const void *rec, const struct rec_act *a)
{
	print_format(&t->out, a->fmt, a->fields, a->nfields, rec, &t->names, ESCAPE_TEXT);
}

static void text_printa(struct dtr *t, const void *rec, const struct rec_act *a)
{
	const struct agg_table *tables[64];
	unsigned n = a->naggs < 64 ? a->naggs : 64;
	int r;

	(void)rec;
	for (unsigned i = 0; i < n; i++)
		tables[i] = &t->tables[a->aggs[i]->id];
	if (a->fmt)
		r = print_printa(&t->out, a->fmt, tables, n, &t->opts.order);
	else if (n == 1)
		r = agg_print(&t->out, tables[0], &t->opts.order);
	else
		r = agg_print_joint(&t->out, tables, n, &t->opts.order);
	if (r < 0)
		t->out.failed = true;
}

/* Actions that are not here show nothing. */
static void text_action(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a)
{
	static void (*const show[ACT_COUNT])(struct dtr *, const void *, const struct rec_act *) = {
		[ACT_SHOW] = text_show,
		[ACT_TRACE] = text_trace,
		[ACT_TRACEMEM] = print_tracemem,
		[ACT_PRINT] = print_typed,
		[ACT_PRINTF] = text_printf,
		[ACT_PRINTA] = text_printa,
	};

	if (show[a->act])
		show[a->act](t, rec, a);
}

static void text_record(struct dtr *t, int cpu, const struct rec_hdr *rec, const struct epid_desc *e)
{
	(void)rec;
	t->line = !t->opts.quiet;
	if (t->opts.flowindent) {
		if (!t->headed)
			flow_header(&t->out);
		t->headed = true;
		flow_line(&t->flow, &t->out, cpu, e);
		return;
	}
	if (t->opts.quiet)
		return;
	if (!t->headed)
		print_header(&t->out);
	t->headed = true;
	print_prefix(&t->out, cpu, e->probe);
}

/* setopt() may have changed `quiet` in between: a line that was begun is ended. */
static void text_record_end(struct dtr *t)
{
	if (t->line || !t->opts.quiet)
		buf_putc(&t->out, '\n');
}

/* As in DTrace the rows of all of them stand below each other, behind one empty line. */
static void text_rest(struct dtr *t, const struct agg_table *table, bool first)
{
	struct buf b = { 0 };

	if (agg_print(&b, table, &t->opts.order) < 0 || b.failed)
		t->out.failed = true;
	buf_puts(&t->out, buf_str(&b) + (!first && b.len));	/* agg_print begins with the empty line */
	buf_free(&b);
}

/* What is not quiet ends with that line in any case. */
static void text_rest_end(struct dtr *t, bool any)
{
	if (!any && !t->opts.quiet)
		buf_putc(&t->out, '\n');
}

static void text_note(struct dtr *t, const char *what, const struct buf *text)
{
	(void)what;
	buf_put(&t->out, text->data, text->len);
	t->out.failed |= text->failed;
}

const struct printer printer_text = {
	.name = "text",
	.record = text_record,
	.action = text_action,
	.record_end = text_record_end,
	.rest = text_rest,
	.rest_end = text_rest_end,
	.probes = list_text_head,
	.probe = list_text_probe,
	.note = text_note,
};

const struct printer *printer_number(unsigned i)
{
	static const struct printer *const printers[] = {
		[OUTPUT_TEXT] = &printer_text, [OUTPUT_JSON] = &printer_json, [OUTPUT_FOLDED] = &printer_folded,
		[OUTPUT_PPROF] = &printer_pprof, [OUTPUT_SPEEDSCOPE] = &printer_speedscope, [OUTPUT_HTML] = &printer_html,
	};

	return i < sizeof printers / sizeof printers[0] ? printers[i] : NULL;
}

const struct printer *session_printer(const struct dtr *t)
{
	return t->printer ? t->printer : printer_number(t->opts.output);
}
