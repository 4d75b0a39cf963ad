/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "engine/output/picture/picture.h"
#include "engine/output/printer.h"

/* ---- joining ---- */

static const unsigned keys_of[PROFILE_KINDS] = {
	[PROFILE_PROCEDURE] = 1, [PROFILE_ARC] = 2, [PROFILE_LINE] = 3, [PROFILE_CALLED] = 2,
	[PROFILE_BLOCK] = 1,
	[PROFILE_VARIABLE] = 3,
};

static const struct column {
	const char *name;
	enum profile_kind kind;
	unsigned column;
} columns[] = {
	{ "calls", PROFILE_PROCEDURE, PROC_CALLS }, { "total", PROFILE_PROCEDURE, PROC_TOTAL },
	{ "self", PROFILE_PROCEDURE, PROC_SELF }, { "mean", PROFILE_PROCEDURE, PROC_MEAN },
	{ "minimum", PROFILE_PROCEDURE, PROC_MINIMUM }, { "maximum", PROFILE_PROCEDURE, PROC_MAXIMUM },
	{ "arcs", PROFILE_ARC, ARC_CALLS }, { "within", PROFILE_ARC, ARC_TIME },
	{ "count", PROFILE_LINE, LINE_COUNT }, { "time", PROFILE_LINE, LINE_TIME },
	{ "called", PROFILE_CALLED, 0 },
	{ "entered", PROFILE_BLOCK, BLOCK_COUNT }, { "spent", PROFILE_BLOCK, BLOCK_TIME },
	{ "accesses", PROFILE_VARIABLE, VAR_ACCESSES }, { "changes", PROFILE_VARIABLE, VAR_CHANGES },
	{ "smallest", PROFILE_VARIABLE, VAR_SMALLEST }, { "largest", PROFILE_VARIABLE, VAR_LARGEST },
	{ "deepest", PROFILE_DEPTH, 0 }, { "cost", PROFILE_COST, COST_WITHIN },
	{ "subtracted", PROFILE_COST, COST_SUBTRACTED },
};

static const struct column *column_of(const struct agg_desc *d)
{
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		if (!strcmp(d->name, columns[i].name) && d->nkeys == keys_of[columns[i].kind] && d->func->number)
			return &columns[i];
	return NULL;
}

struct taking {
	struct program_profile *profile;
	struct arena *arena;
	struct map rows[PROFILE_KINDS];	/* key -> index + 1 */
	struct buf text;
};

static const char *field_text(struct taking *t, const struct agg_table *table, const struct val_field *f,
			      const void *key)
{
	const char *s = (const char *)key + f->off;

	if (f->kind == VAL_STR)
		return arena_strndup(t->arena, s, strnlen(s, f->size));
	buf_reset(&t->text);
	val_show(&t->text, table->names, f, key);
	return arena_strdup(t->arena, buf_str(&t->text));
}

/* Sets parts from "module`function". */
static void split_symbol(struct arena *a, const char **part, const char *text)
{
	const char *mark = strchr(text, '`');

	part[0] = mark ? arena_strndup(a, text, (size_t)(mark - text)) : "";
	part[1] = mark ? mark + 1 : text;
}

/* The path of a source file: a line that is in two modules (a function of a header) is named "module`path" in one. */
static const char *source_path(const char *name)
{
	const char *path = strstr(name, "`/");

	return path ? path + 1 : name;
}

static void row_parts(struct taking *t, struct profile_row *r, const struct agg_table *table, enum profile_kind kind,
		      const void *key)
{
	const struct agg_desc *d = table->desc;

	for (unsigned i = 0; i < PROFILE_PARTS; i++)
		r->part[i] = "";
	for (unsigned i = 0; i < d->nkeys; i++) {
		const char *text = field_text(t, table, &d->key[i], key);

		if (kind == PROFILE_PROCEDURE || kind == PROFILE_ARC)
			split_symbol(t->arena, r->part + 2 * i, text);
		else
			r->part[i] = text;
	}
	if (kind == PROFILE_LINE || kind == PROFILE_CALLED)
		r->part[0] = source_path(r->part[0]);
	r->line = kind == PROFILE_LINE ? strtoll(r->part[2], NULL, 10) : 0;
}

static struct profile_row *row_of(struct taking *t, const struct agg_table *table, enum profile_kind kind,
				  const void *key)
{
	struct profile_row r = { 0 };
	struct buf id = { 0 };
	void **slot;

	row_parts(t, &r, table, kind, key);
	for (unsigned i = 0; i < PROFILE_PARTS; i++)
		buf_put(&id, r.part[i], strlen(r.part[i]) + 1);
	if (id.failed || t->text.failed) {
		buf_free(&id);
		return NULL;
	}
	slot = map_put(&t->rows[kind], id.data, id.len);
	buf_free(&id);
	if (!*slot) {
		*VEC_ADD(t->arena, &t->profile->rows[kind]) = r;
		*slot = (void *)t->profile->rows[kind].n;
	}
	return &t->profile->rows[kind].v[(size_t)*slot - 1];
}

static int take_table(struct taking *t, const struct agg_table *table)
{
	const struct column *c = column_of(table->desc);
	const struct agg_desc *d = table->desc;

	t->profile->timed |= c && c->kind == PROFILE_LINE && c->column == LINE_TIME;
	for (size_t i = 0; c && i < table->n; i++) {
		struct profile_row *r = row_of(t, table, c->kind, agg_row_key(table, &table->rows[i]));
		int64_t number = d->func->number(&d->spec, table->rows[i].value, 1);

		if (!r)
			return -ENOMEM;
		r->value[c->column] = number + (c->kind == PROFILE_LINE || c->kind == PROFILE_CALLED ?
						r->value[c->column] : 0);
		r->has |= 1u << c->column;
	}
	return 0;
}

/* ---- order ---- */

static int compare_parts(const struct profile_row *a, const struct profile_row *b)
{
	int r = 0;

	for (unsigned i = 0; i < PROFILE_PARTS && !r; i++)
		r = strcmp(a->part[i], b->part[i]);
	return r;
}

static int compare_procedures(const void *x, const void *y)
{
	const struct profile_row *a = x, *b = y;
	int r = strcmp(a->part[0], b->part[0]);
	int64_t va = a->value[PROC_SELF], vb = b->value[PROC_SELF];

	if (!r)
		r = (va < vb) - (va > vb);
	return r ? r : compare_parts(a, b);
}

static int compare_others(const void *x, const void *y)
{
	const struct profile_row *a = x, *b = y;
	int r = strcmp(a->part[0], b->part[0]);

	if (!r)
		r = (a->line > b->line) - (a->line < b->line);
	return r ? r : compare_parts(a, b);
}

/* ---- names of source files ---- */

static bool path_ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), k = strlen(end);

	return n >= k && !strcmp(path + n - k, end) && (n == k || path[n - k - 1] == '/');
}

typedef VEC(const char *) path_list;

/* The shortest end of a path, from a slash on, that no other path has. */
static const char *short_path(const path_list *all, const char *path)
{
	const char *end = path + strlen(path);
	size_t i = 0;

	do {
		for (end -= end > path; end > path && end[-1] != '/';)
			end--;
		for (i = 0; i < all->n && (!strcmp(all->v[i], path) || !path_ends_with(all->v[i], end));)
			i++;
	} while (end > path && i < all->n);
	return end;
}

/* Rows are sorted by file. */
static void name_files(struct program_profile *p, struct arena *a)
{
	struct profile_row *v = p->rows[PROFILE_LINE].v;
	path_list all = { 0 };

	for (size_t i = 0; i < p->rows[PROFILE_LINE].n; i++)
		if (!i || strcmp(v[i].part[0], v[i - 1].part[0]))
			*VEC_ADD(a, &all) = v[i].part[0];
	for (size_t i = 0; i < p->rows[PROFILE_LINE].n; i++) {
		bool same = i && !strcmp(v[i].part[0], v[i - 1].part[0]);

		v[i].file = same ? v[i - 1].file : short_path(&all, v[i].part[0]);
	}
}

int profile_take(struct program_profile *p, struct arena *a, const struct agg_table *tables, unsigned n)
{
	struct taking t = { .profile = p, .arena = a };
	int r = 0;

	*p = (struct program_profile){ 0 };
	for (unsigned i = 0; i < PROFILE_KINDS; i++)
		map_init(&t.rows[i], a);
	for (unsigned i = 0; i < n && !r; i++)
		r = take_table(&t, &tables[i]);
	for (unsigned i = 0; i < PROFILE_KINDS; i++)
		if (p->rows[i].n)
			qsort(p->rows[i].v, p->rows[i].n, sizeof *p->rows[i].v,
			      i == PROFILE_PROCEDURE ? compare_procedures : compare_others);
	name_files(p, a);
	buf_free(&t.text);
	return r;
}

int64_t profile_calls(const struct program_profile *p, const struct profile_row *line, int64_t otherwise)
{
	const struct profile_row key = { .part = { line->part[0], line->part[1], "", "" } }, *found;

	if (!p->rows[PROFILE_CALLED].n)
		return otherwise;
	found = bsearch(&key, p->rows[PROFILE_CALLED].v, p->rows[PROFILE_CALLED].n, sizeof key, compare_others);
	return found ? found->value[0] : 0;
}

int64_t profile_sum(const struct program_profile *p, enum profile_kind kind, unsigned column)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->rows[kind].n; i++)
		sum += p->rows[kind].v[i].value[column];
	return sum;
}

void profile_cost(struct buf *out, const struct program_profile *p, const char *before)
{
	static const char *const where[] = { [COST_WITHIN] = "part of", [COST_SUBTRACTED] = "subtracted from" };

	for (unsigned i = 0; i < sizeof where / sizeof *where; i++) {
		int64_t ns = profile_sum(p, PROFILE_COST, i);

		if (ns > 0)
			buf_printf(out, "%sCost of the probes of a call: %" PRId64 " ns, %s the times\n", before, ns,
				   where[i]);
	}
}

/* ---- functions of printers ---- */

struct profile_state {
	const struct profile_format *format;
	bool asked;			/* the record has a printa() */
};

void profile_begin(struct output *o, const struct profile_format *f)
{
	struct profile_state *s = arena_alloc(o->arena, sizeof *s);

	s->format = f;
	o->state = s;
}

void profile_draw(struct output *o, const struct agg_table *tables, unsigned n)
{
	const struct profile_state *s = o->state;
	struct arena a;
	struct program_profile p;

	arena_init(&a, o->oom, o->arg);
	if (profile_take(&p, &a, tables, n) == 0)
		s->format->draw(o, &p);
	else
		o->buf.failed = true;
	arena_free(&a);
}

/* The tables that printa() names have just been read. */
void profile_action(struct output *o, const struct rec_hdr *rec, const struct rec_act *a)
{
	struct profile_state *s = o->state;

	if (a->naggs)
		s->asked |= a->act == ACT_PRINTA;
	else
		printer_text.action(o, rec, a);
}

void profile_record_end(struct output *o)
{
	struct profile_state *s = o->state;

	if (s->asked)
		profile_draw(o, o->tables, o->ntables);
	s->asked = false;
}

void profile_message(struct output *o, const struct rec_hdr *rec, const struct rec_act *a)
{
	picture_action(o, rec, a);
}

void profile_message_end(struct output *o)
{
	picture_record_end(o);
}

void profile_note(struct output *o, const char *what, const struct buf *text)
{
	printer_text.note(o, what, text);
}
