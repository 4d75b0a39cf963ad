/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -O text: DTrace's layouts. */
#include "engine/output/output.h"
#include "engine/output/printer.h"

#include <string.h>

#include "base/json.h"
#include "engine/output/flow.h"
#include "engine/output/list.h"
#include "engine/output/print.h"
#include "engine/output/sampled.h"
#include "engine/output/shares/table.h"

struct text_state {
	struct flow_output flow;	/* -F */
	bool header_printed;		/* the header line was printed */
	bool prefixed;		/* the record being printed began with the name of its probe */
};

static struct text_state *text_state(const struct output *o)
{
	return o->state;
}

static void text_begin(struct output *o)
{
	o->state = arena_calloc(o->arena, 1, sizeof(struct text_state));
}

static void text_close(struct output *o)
{
	flow_close(&text_state(o)->flow);
}

/* A stack takes lines of its own, a symbol a column. */
static void text_show(struct output *o, const void *rec, const struct rec_act *a)
{
	struct buf b = { 0 };

	for (unsigned i = 0; i < a->nfields; i++) {
		const struct val_field *f = &a->fields[i];

		buf_reset(&b);
		val_show(&b, &o->names, f, rec);
		buf_printf(&o->buf, f->kind == VAL_STACK || f->kind == VAL_USTACK ? "%s" : "  %-50s", buf_str(&b));
	}
	o->buf.failed |= b.failed;
	buf_free(&b);
}

/* As in DTrace: a string of printable characters, or bytes that are such a string followed only by NULs. */
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

/* The name of a control group looks like any string. */
static void trace_cgroup(struct output *o, const struct val_field *f, const void *rec)
{
	struct val_field text = { .kind = VAL_STR, .origin = VAL_NAME };
	struct buf name = { 0 };

	val_show(&name, &o->names, f, rec);
	text.size = (uint32_t)name.len + 1;
	print_trace(&o->buf, &text, buf_str(&name), o->opts->quiet);
	o->buf.failed |= name.failed;
	buf_free(&name);
}

static void text_trace(struct output *o, const void *rec, const struct rec_act *a)
{
	for (unsigned i = 0; i < a->nfields; i++) {
		struct val_field f = a->fields[i];

		if (val_is_cgroup(f.kind)) {
			trace_cgroup(o, &f, rec);
			continue;
		}
		if (a->shown && !o->opts->rawbytes) {
			print_trace_float(&o->buf, &f, rec, o->opts->quiet);
			continue;
		}
		if (f.kind == VAL_STR || f.kind == VAL_BYTES)
			f.kind = !o->opts->rawbytes && is_text(&f, (const char *)rec + f.off) ? VAL_STR : VAL_BYTES;
		print_trace(&o->buf, &f, rec, o->opts->quiet);
	}
}

static void text_printf(struct output *o, const void *rec, const struct rec_act *a)
{
	print_format(&o->buf, a, rec, &o->names, ESCAPE_TEXT);
}

static void text_print(struct output *o, const void *rec, const struct rec_act *a)
{
	print_typed(&o->buf, o->types, o->opts->d.printsize, rec, a);
}

static void text_tracemem(struct output *o, const void *rec, const struct rec_act *a)
{
	const struct val_field *bytes = &a->fields[0];
	uint64_t n = bytes->size, count = a->nfields > 1 ? (uint64_t)val_int(&a->fields[1], rec) : n;

	buf_dump(&o->buf, (const char *)rec + bytes->off, count < n ? count : n);
}

/* With -x interval. */
static void put_samples(struct buf *out, const struct agg_table *const *tables, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (!tables[i]->samples.on)
			continue;
		buf_puts(out, n > 1 ? "@" : "");
		buf_puts(out, n > 1 && strcmp(tables[i]->desc->name, "_") ? tables[i]->desc->name : "");
		buf_puts(out, n > 1 ? ": samples: " : "Samples: ");
		sampled_total(out, tables[i]);
		buf_putc(out, '\n');
	}
}

static void text_printa(struct output *o, const void *rec, const struct rec_act *a)
{
	const struct agg_table *tables[64];
	unsigned n = a->naggs < 64 ? a->naggs : 64;
	int r;

	(void)rec;
	for (unsigned i = 0; i < n; i++)
		tables[i] = &o->tables[a->aggs[i]->id];
	if (!a->fmt && n == 1)
		buf_putc(&o->buf, '\n');
	if (a->fmt)
		r = print_printa(&o->buf, a->fmt, &(struct print_tables){ tables, n, &o->opts->order }, output_relieve,
				 o);
	else if (n == 1)
		r = agg_print_rows(&o->buf, tables[0], &o->opts->order, output_relieve, o);
	else
		r = agg_print_joint(&o->buf, tables, n, &o->opts->order);
	if (r < 0)
		o->buf.failed = true;
	if (!a->fmt)
		put_samples(&o->buf, tables, n);
}

/* Other actions print nothing. */
static void text_action(struct output *o, const struct rec_hdr *rec, const struct rec_act *a)
{
	static void (*const show[ACT_COUNT])(struct output *, const void *, const struct rec_act *) = {
		[ACT_SHOW] = text_show,
		[ACT_TRACE] = text_trace,
		[ACT_TRACEMEM] = text_tracemem,
		[ACT_PRINT] = text_print,
		[ACT_PRINTF] = text_printf,
		[ACT_PRINTA] = text_printa,
	};

	if (show[a->act])
		show[a->act](o, rec, a);
}

static void text_record(struct output *o, int cpu, const struct rec_hdr *rec, const struct epid_desc *e)
{
	struct text_state *s = text_state(o);

	(void)rec;
	s->prefixed = !o->opts->quiet;
	if (!s->header_printed && o->opts->flowindent)
		flow_header(&o->buf);
	else if (!s->header_printed && !o->opts->quiet)
		print_header(&o->buf);
	s->header_printed |= o->opts->flowindent || !o->opts->quiet;
	s->flow.next = o->next;
	if (o->opts->flowindent)
		flow_line(&s->flow, &o->buf, cpu, e);
	else if (!o->opts->quiet)
		print_prefix(&o->buf, cpu, e->probe);
}

/* A line that was begun is ended even if setopt() has set `quiet` since. */
static void text_record_end(struct output *o)
{
	if (text_state(o)->prefixed || !o->opts->quiet)
		buf_putc(&o->buf, '\n');
}

/* As in DTrace, one empty line precedes the rows of all aggregations. */
static void text_rest(struct output *o, const struct agg_table *table, bool first)
{
	if (first)
		buf_putc(&o->buf, '\n');
	if (agg_print_rows(&o->buf, table, &o->opts->order, output_relieve, o) < 0)
		o->buf.failed = true;
	put_samples(&o->buf, &table, 1);
}

/* Without -q the output ends with that empty line in any case. */
static void text_rest_end(struct output *o, bool any)
{
	if (!any && !o->opts->quiet)
		buf_putc(&o->buf, '\n');
}

static void text_note(struct output *o, const char *what, const struct buf *text)
{
	(void)what;
	buf_put(&o->buf, text->data, text->len);
	o->buf.failed |= text->failed;
}

const struct printer printer_text = {
	.begin = text_begin,
	.record = text_record,
	.action = text_action,
	.record_end = text_record_end,
	.rest = text_rest,
	.rest_end = text_rest_end,
	.shares = shares_table,
	.probes = list_text_head,
	.probe = list_text_probe,
	.note = text_note,
	.close = text_close,
};
