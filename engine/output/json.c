/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -O json: one object per line. docs/json.md has the schema. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "engine/output/print.h"
#include "engine/output/output.h"
#include "engine/output/printer.h"
#include "engine/output/shares/shares.h"
#include "engine/symbols/codes.h"
#include "lang/check/declared.h"

enum { SCHEMA = 1, SHARE_DIGITS = 6 };

/* ---- values ---- */

/* A member with the contents of a buffer, which is freed. */
static void member_take(struct buf *b, const char *name, struct buf *text)
{
	json_name(b, name);
	json_string(b, buf_str(text), text->len);
	b->failed |= text->failed;
	buf_free(text);
}

/* A member that is there only if it is true. */
static void member_if(struct buf *b, const char *name, bool set)
{
	if (!set)
		return;
	json_name(b, name);
	json_bool(b, set);
}

static void put_address(struct buf *b, const struct val_names *names, int64_t owner, uint64_t addr)
{
	json_open(b, '{');
	if (!codes_is_word(addr)) {
		json_name(b, "address");
		json_hex(b, addr);
	}
	if (names && names->addr) {
		struct buf name = { 0 };

		names->addr(names->arg, &name, owner, addr);
		member_take(b, "symbol", &name);
	}
	json_close(b, '}');
}

struct json_frame {
	struct buf *b;
	uint64_t addr;
};

/* A function at the address of a frame: inlined ones, then the one that contains them. */
static void put_frame_function(void *arg, const struct val_frame *f)
{
	struct json_frame *frame = arg;
	struct buf *b = frame->b;

	json_open(b, '{');
	json_name(b, "address");
	json_hex(b, frame->addr);
	json_member_text(b, "symbol", f->text);
	member_if(b, "inlined", f->inlined);
	if (f->file)
		json_member_text(b, "file", f->file);
	if (f->line)
		json_member_uint(b, "line", f->line);
	json_close(b, '}');
}

static void put_stack(struct buf *b, const struct val_field *f, const void *base, const struct val_names *names)
{
	bool user = f->kind == VAL_USTACK, cut = false;
	int64_t owner = user ? (int64_t)val_field_word(f, base, 0) : -1;

	json_open(b, '{');
	if (user)
		json_member_uint(b, "pid", (uint64_t)val_owner_pid((uint64_t)owner));
	json_name(b, "frames");
	json_open(b, '[');
	for (uint32_t i = user; i < f->size / 8 && val_field_word(f, base, i); i++) {
		struct json_frame frame = { b, val_field_word(f, base, i) };

		cut = val_is_cut(names, frame.addr);
		if (cut)
			break;
		if (names && names->frames)
			names->frames(names->arg, owner, frame.addr, i > user, put_frame_function, &frame);
		else
			put_address(b, names, owner, frame.addr);
	}
	json_close(b, ']');
	member_if(b, "truncated", cut);
	json_close(b, '}');
}

/* An address that is shown by its symbol or module. */
static void put_symbol(struct buf *b, const struct val_field *f, const void *base, const struct val_names *names)
{
	bool user = val_is_user(f->kind), module = f->kind == VAL_MOD || f->kind == VAL_UMOD;

	json_open(b, '{');
	if (user)
		json_member_uint(b, "pid", (uint64_t)val_owner_pid(val_field_word(f, base, 0)));
	json_name(b, "address");
	json_hex(b, val_field_word(f, base, user));
	if (names && names->show) {
		struct buf name = { 0 };

		names->show(names->arg, &name, f, base);
		member_take(b, module ? "module" : "symbol", &name);
	}
	json_close(b, '}');
}

/* The name alone: it is the value of the variable. */
static void put_cgroup(struct buf *b, const struct val_field *f, const void *base, const struct val_names *names)
{
	struct buf name = { 0 };

	val_show(&name, names, f, base);
	json_string(b, buf_str(&name), name.len);
	b->failed |= name.failed;
	buf_free(&name);
}

static void put_value(struct buf *b, const struct val_field *f, const void *base, const struct val_names *names)
{
	const char *p = (const char *)base + f->off;

	switch (f->kind) {
	case VAL_INT:
		if (f->is_signed)
			json_int(b, val_int(f, base));
		else
			json_uint(b, (uint64_t)val_int(f, base));
		break;
	case VAL_PTR:
		json_hex(b, (uint64_t)val_int(f, base));
		break;
	case VAL_STR:
		json_string(b, p, strnlen(p, f->size));
		break;
	case VAL_STACK:
	case VAL_USTACK:
		put_stack(b, f, base, names);
		break;
	case VAL_CGROUP:
	case VAL_CONTAINER:
	case VAL_POD:
	case VAL_IMAGE:
		put_cgroup(b, f, base, names);
		break;
	case VAL_SYM:
	case VAL_MOD:
	case VAL_USYM:
	case VAL_UMOD:
	case VAL_UADDR:
		put_symbol(b, f, base, names);
		break;
	default:
		if (val_is_float(f) && isfinite(val_float(f, base))) {
			json_float(b, val_float(f, base), f->size == sizeof(float) ? FLT_DECIMAL_DIG :
				   f->size == sizeof(double) ? DBL_DECIMAL_DIG : LDBL_DECIMAL_DIG);
			break;
		}
		json_open(b, '{');
		json_name(b, "bytes");
		json_bytes(b, p, f->size);
		json_close(b, '}');
	}
}

static void put_fields(struct buf *b, const struct val_field *f, unsigned n, const void *base,
		       const struct val_names *names)
{
	json_open(b, '[');
	for (unsigned i = 0; i < n; i++)
		put_value(b, &f[i], base, names);
	json_close(b, ']');
}

static void put_description(struct buf *b, const struct probe *p)
{
	json_member_uint(b, "id", p->id);
	json_member_text(b, "provider", p->provname);
	json_member_text(b, "module", p->mod);
	json_member_text(b, "function", p->func);
	json_member_text(b, "name", p->name);
}

static void put_probe(struct buf *b, const struct probe *p)
{
	json_name(b, "probe");
	json_open(b, '{');
	put_description(b, p);
	json_close(b, '}');
}

/* ---- aggregations ---- */

static void put_known(struct buf *b, const char *name, bool known, int64_t v)
{
	json_name(b, name);
	if (known)
		json_int(b, v);
	else
		json_null(b);
}

static void put_buckets(struct buf *b, const struct agg_table *t, const int64_t *v)
{
	struct agg_bucket k;

	json_name(b, "buckets");
	json_open(b, '[');
	for (unsigned i = 0; v && t->desc->func->bucket(&k, &t->desc->spec, v, i, t->normal); i++) {
		if (k.empty)
			continue;
		json_open(b, '{');
		put_known(b, "min", k.has_min, k.min);
		put_known(b, "max", k.has_max, k.max);
		json_member_int(b, "count", k.count);
		json_close(b, '}');
	}
	json_close(b, ']');
}

static void put_interval(struct buf *b, double share, const struct share_interval *i)
{
	json_name(b, "share");
	json_float(b, share, SHARE_DIGITS);
	json_name(b, "low");
	json_float(b, i->low, SHARE_DIGITS);
	json_name(b, "high");
	json_float(b, i->high, SHARE_DIGITS);
}

/* v NULL: the key does not occur in this aggregation. */
static void put_aggregation(struct buf *b, const struct agg_table *t, const int64_t *v)
{
	const struct agg_func *f = t->desc->func;
	struct share_interval interval;
	double share;

	json_open(b, '{');
	json_member_text(b, "aggregation", t->desc->name);
	json_member_text(b, "function", f->name);
	if (t->normal < 0)
		json_member_int(b, "normal", (int64_t)t->normal);
	else if (t->normal != 1)
		json_member_uint(b, "normal", (uint64_t)t->normal);
	if (f->bucket)
		put_buckets(b, t, v);
	else
		put_known(b, "value", v, v ? f->number(&t->desc->spec, v, t->normal) : 0);
	if (agg_samples_share(t, v, &share, &interval))
		put_interval(b, share, &interval);
	json_close(b, '}');
}

/* The rows of a printa(), or of aggregations at the end. */
struct json_rows {
	const struct agg_table *const *tables;
	unsigned n;
	const struct rec_hdr *rec;	/* or NULL */
	const struct fmt *fmt;		/* or NULL */
};

static void put_row(struct buf *b, const struct json_rows *r, const struct agg_joint *row)
{
	const struct val_names *names = r->tables[0]->names;
	const struct agg_desc *d = row->table->desc;

	json_line_open(b, "row");
	if (r->rec) {
		json_member_uint(b, "time", r->rec->ts);
		json_member_uint(b, "epid", r->rec->epid);
	}
	agg_weigh(r->tables[0], row->value[0]);
	json_name(b, "keys");
	put_fields(b, d->key, d->nkeys, agg_row_key(row->table, row->row), names);
	json_name(b, "values");
	json_open(b, '[');
	for (unsigned i = 0; i < r->n; i++)
		put_aggregation(b, r->tables[i], row->value[i]);
	json_close(b, ']');
	if (r->fmt) {
		struct buf text = { 0 };

		print_printa_row(&text, r->fmt, r->tables, r->n, row);
		member_take(b, "text", &text);
	}
	json_line_close(b);
}

/* With -x interval, for each sampled aggregation. */
static void put_samples(struct buf *b, const struct json_rows *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		const struct agg_samples *s = &r->tables[i]->samples;

		if (!s->on)
			continue;
		json_line_open(b, "samples");
		json_member_text(b, "aggregation", r->tables[i]->desc->name);
		json_member_uint(b, "count", s->total);
		put_known(b, "lost", s->known, (int64_t)s->lost);
		put_known(b, "idle", s->known, (int64_t)s->idle);
		json_line_close(b);
	}
}

/* Returns their number. */
static size_t put_rows(struct output *o, struct buf *b, const struct json_rows *r)
{
	struct agg_joint *rows;
	size_t n;

	if (agg_join(r->tables, r->n, &o->opts->order, &rows, &n) < 0) {
		b->failed = true;
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		put_row(b, r, &rows[i]);
	if (!r->rec)
		put_samples(b, r);
	free(rows);
	return n;
}

struct json_state {
	struct buf record, rows;	/* the record being written; the rows that follow it */
};

static struct json_state *json_state(const struct output *o)
{
	return o->state;
}

static void json_close_state(struct output *o)
{
	buf_free(&json_state(o)->record);
	buf_free(&json_state(o)->rows);
}

static void json_rest(struct output *o, const struct agg_table *table, bool first)
{
	struct json_rows r = { .tables = &table, .n = 1 };

	(void)first;
	put_rows(o, &o->buf, &r);
}

/* ---- shares ---- */

static void put_share(struct buf *b, const struct shares *s, const struct share_row *r)
{
	json_line_open(b, "share");
	json_member_text(b, "aggregation", s->table->desc->name);
	put_known(b, "group", s->grouped, r->group);
	json_member_text(b, "name", r->name);
	json_member_uint(b, "count", r->count);
	put_interval(b, r->share, &r->interval);
	json_name(b, "tied");
	json_bool(b, r->tied);
	json_line_close(b);
}

static void put_group(struct buf *b, const struct shares *s, const struct shares_group *g,
		      const struct share_source *source)
{
	json_line_open(b, "shares");
	json_member_text(b, "aggregation", s->table->desc->name);
	put_known(b, "group", s->grouped, g->group);
	json_member_uint(b, "count", g->total);
	json_member_uint(b, "idle", g->idle);
	put_known(b, "lost", s->known, (int64_t)g->lost);
	if (source->name) {
		json_member_text(b, "source", source->name);
		json_member_text(b, "blind", source->blind);
	}
	json_line_close(b);
}

static void json_shares(struct output *o, const struct shares_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct shares *s = &list->v[i];

		for (size_t k = 0; k < s->groups.n; k++) {
			const struct shares_group *g = &s->groups.v[k];

			for (size_t row = g->first; row < g->first + g->n; row++)
				put_share(&o->buf, s, &s->rows.v[row]);
			put_group(&o->buf, s, g, &list->source);
		}
	}
}

/* ---- records ---- */

static void json_record(struct output *o, int cpu, const struct rec_hdr *rec, const struct epid_desc *e)
{
	struct buf *b = &json_state(o)->record;

	json_line_open(b, "record");
	json_member_uint(b, "time", rec->ts);
	json_member_int(b, "cpu", cpu);
	json_member_uint(b, "epid", e->epid);
	put_probe(b, e->probe);
	json_name(b, "actions");
	json_open(b, '[');
}

/* The rows of a printa() are lines of their own, after the record. */
static void put_printa(struct output *o, const struct rec_hdr *rec, const struct rec_act *a)
{
	const struct agg_table *tables[64];
	struct json_rows r = { .tables = tables, .n = a->naggs < 64 ? a->naggs : 64, .rec = rec, .fmt = a->fmt };

	for (unsigned i = 0; i < r.n; i++)
		tables[i] = &o->tables[a->aggs[i]->id];
	json_member_uint(&json_state(o)->record, "rows", put_rows(o, &json_state(o)->rows, &r));
}

/* NULL: the default action, which only makes a record. */
static const char *action_name(const struct rec_act *a)
{
	static const char *const names[ACT_COUNT] = {
#define ACTION(NAME, text, min, max, destructive) [ACT_##NAME] = text,
#include "lang/syntax/action.def"
#undef ACTION
	}, *const shown[] = {
		[VAL_STACK] = "stack", [VAL_USTACK] = "ustack", [VAL_SYM] = "sym", [VAL_MOD] = "mod",
		[VAL_USYM] = "usym", [VAL_UMOD] = "umod", [VAL_UADDR] = "uaddr",
	};

	if (a->act == ACT_SHOW && a->nfields && a->fields[0].kind < sizeof shown / sizeof shown[0])
		return shown[a->fields[0].kind];
	return names[a->act];
}

/* All actions have the same members: name, printed text, values, aggregations. */
static void json_action(struct output *o, const struct rec_hdr *rec, const struct rec_act *a)
{
	struct buf *b = &json_state(o)->record;

	if (!action_name(a))
		return;
	json_open(b, '{');
	json_member_text(b, "action", action_name(a));
	if (a->fmt && !a->naggs) {
		struct buf text = { 0 };

		print_format(&text, a, rec, &o->names, ESCAPE_NOTHING);
		member_take(b, "text", &text);
	}
	if (a->nfields) {
		json_name(b, "args");
		put_fields(b, a->fields, a->nfields, rec, &o->names);
	}
	if (a->naggs) {
		json_name(b, "aggregations");
		json_open(b, '[');
		for (unsigned i = 0; i < a->naggs; i++)
			json_text(b, a->aggs[i]->name);
		json_close(b, ']');
	}
	if (a->act == ACT_PRINTA)
		put_printa(o, rec, a);
	json_close(b, '}');
}

static void json_record_end(struct output *o)
{
	struct buf *const parts[] = { &json_state(o)->record, &json_state(o)->rows };

	json_close(&json_state(o)->record, ']');
	json_line_close(&json_state(o)->record);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		buf_put(&o->buf, parts[i]->data, parts[i]->len);
		o->buf.failed |= parts[i]->failed;
		buf_reset(parts[i]);
	}
}

/* ---- reports ---- */

static void json_begin(struct output *o)
{
	struct buf *b = &o->buf;

	o->state = arena_calloc(o->arena, 1, sizeof(struct json_state));
	json_line_open(b, "begin");
	json_member_uint(b, "schema", SCHEMA);
	json_member_text(b, "engine", o->engine);
	if (o->about.timed)
		json_member_uint(b, "time", o->about.began);
	if (o->about.dated)
		json_member_uint(b, "walltime", o->about.wall);
	json_line_close(b);
}

static void json_fault(struct output *o, const struct output_fault *f)
{
	struct buf *b = &o->buf;

	json_line_open(b, "fault");
	json_member_uint(b, "time", f->rec->hdr.ts);
	json_member_uint(b, "epid", f->e->epid);
	put_probe(b, f->e->probe);
	json_member_uint(b, "action", f->rec->action);
	json_member_text(b, "fault", f->text);
	if (f->has_value) {
		json_name(b, "value");
		json_hex(b, f->rec->value);
	}
	if (f->line)
		json_member_uint(b, "line", f->line);
	json_line_close(b);
}

static void put_cpu(struct buf *b, int cpu)
{
	put_known(b, "cpu", cpu >= 0, cpu);
}

static void json_drop(struct output *o, const struct output_drop *d)
{
	struct buf *b = &o->buf;

	json_line_open(b, "drop");
	json_member_text(b, "kind", d->tag);
	put_cpu(b, d->cpu);
	json_member_uint(b, "count", d->n);
	json_line_close(b);
}

static void json_account(struct output *o, const struct dtr_account *a)
{
	static const char *const names[DTR_NLOSSES] = {
		[DTR_LOST_IDLE] = "idle", [DTR_LOST_OFFLINE] = "offline", [DTR_LOST_LATE] = "late",
		[DTR_LOST_THROTTLED] = "throttled", [DTR_LOST_NESTED] = "nested", [DTR_LOST_OWN] = "snapshots",
		[DTR_LOST_STOPPED] = "stopped", [DTR_LOST_REFUSED] = "refused", [DTR_LOST_UNKNOWN] = "unexplained",
		[DTR_LOST_FULL] = "full", [DTR_LOST_PARTS] = "parts",
	};
	struct buf *b = &o->buf;

	json_line_open(b, "ledger");
	json_member_text(b, "probe", a->probe);
	put_cpu(b, a->cpu);
	json_member_uint(b, "interval", a->interval);
	json_member_uint(b, "expected", a->expected);
	json_member_uint(b, "delivered", a->delivered);
	json_name(b, "lost");
	json_open(b, '{');
	for (int i = 0; i < DTR_NLOSSES; i++)
		if (a->lost[i])
			json_member_int(b, i == DTR_LOST_UNKNOWN && !a->causes ? "missing" : names[i], a->lost[i]);
	json_close(b, '}');
	json_member_uint(b, "made_up", a->made_up);
	json_member_uint(b, "records_lost", a->records_lost);
	json_line_close(b);
}

static void json_stacks(struct output *o, const struct dtr_stacks *n)
{
	struct buf *b = &o->buf;

	json_line_open(b, "stacks");
	json_member_uint(b, "all", n->all);
	json_member_uint(b, "walked", n->walked);
	json_member_uint(b, "unwound", n->unwound);
	for (unsigned i = 0; i < DTR_NSTACK_LOSSES; i++)
		if (n->lacking[i])
			json_member_uint(b, stack_loss_name(i), n->lacking[i]);
	json_line_close(b);
}

static void json_cost(struct output *o, const struct dtr_cost *c, uint64_t time)
{
	struct buf *b = &o->buf;

	json_line_open(b, "cost");
	json_member_text(b, "probe", c->probe);
	json_member_uint(b, "firings", c->runs);
	json_member_uint(b, "ns", c->ns);
	json_member_uint(b, "over", time);
	json_line_close(b);
}

static void json_thinned(struct output *o, const struct dtr_thinned *t, double spent)
{
	struct buf *b = &o->buf;

	json_line_open(b, "thinned");
	json_member_text(b, "probe", t->probe);
	json_member_uint(b, "most", t->most);
	json_member_uint(b, "slower", t->slower);
	json_member_uint(b, "run", t->run);
	json_member_uint(b, "firings", t->firings);
	json_member_uint(b, "error", (uint64_t)(thinned_error(t) + 0.5));
	json_member_uint(b, "cost", (uint64_t)(spent * 1e6 + 0.5));
	json_line_close(b);
}

static void json_message(struct output *o, const char *text)
{
	json_line_open(&o->buf, "message");
	json_member_text(&o->buf, "text", text);
	json_line_close(&o->buf);
}

static void json_diag(struct output *o, const struct diag *d)
{
	struct buf *b = &o->buf;

	json_line_open(b, d->warning ? "warning" : "error");
	json_member_text(b, "tag", diag_tag_name(d->tag));
	if (d->loc.src && d->loc.src->name)
		json_member_text(b, "file", d->loc.src->name);
	if (d->loc.line) {
		json_member_uint(b, "line", d->loc.line);
		json_member_uint(b, "column", d->loc.col);
	}
	json_member_text(b, "text", d->text);
	json_line_close(b);
}

static void json_end(struct output *o)
{
	json_line_open(&o->buf, "end");
	json_member_int(&o->buf, "status", output_status(o));
	json_line_close(&o->buf);
}

static void json_probe(struct output *o, const struct probe *p, bool verbose)
{
	struct declared_arg args[DECLARED_MAX];
	unsigned n = verbose ? declared_args(o->compiler, p, args) : 0;
	struct buf *b = &o->buf;

	json_line_open(b, "probe");
	put_description(b, p);
	if (verbose) {
		json_name(b, "args");
		json_open(b, '[');
		for (unsigned i = 0; i < n; i++)
			json_text(b, arg_type(&args[i].type));
		json_close(b, ']');
	}
	json_line_close(b);
}

static void json_note(struct output *o, const char *what, const struct buf *text)
{
	json_line_open(&o->buf, what);
	json_name(&o->buf, "text");
	json_string(&o->buf, buf_str(text), text->len);
	json_line_close(&o->buf);
	o->buf.failed |= text->failed;
}

const struct printer printer_json = {
	.pure = true,
	.addresses = true,
	.begin = json_begin,
	.record = json_record,
	.action = json_action,
	.record_end = json_record_end,
	.rest = json_rest,
	.shares = json_shares,
	.fault = json_fault,
	.drop = json_drop,
	.account = json_account,
	.stacks = json_stacks,
	.cost = json_cost,
	.thinned = json_thinned,
	.message = json_message,
	.diag = json_diag,
	.end = json_end,
	.close = json_close_state,
	.probe = json_probe,
	.note = json_note,
};
