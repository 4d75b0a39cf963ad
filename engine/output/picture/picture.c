/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/picture/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- while the session runs ---- */

struct picture *picture_of(const struct output *o)
{
	return o->state;
}

void picture_begin(struct output *o)
{
	struct picture *p = arena_alloc(o->arena, sizeof *p);

	p->arena = o->arena;
	map_init(&p->numbers, p->arena);
	map_init(&p->known, p->arena);
	o->state = p;
}

/* What the actions print is not part of a picture: it is written as messages. */
void picture_action(struct output *o, const struct rec_hdr *rec, const struct rec_act *a)
{
	if (!a->naggs)
		printer_text.action(o, rec, a);
}

void picture_record_end(struct output *o)
{
	if (!o->buf.len || o->buf.failed)	/* the latter is reported when the output is written */
		return;
	if (o->buf.data[o->buf.len - 1] != '\n' && !o->opts->quiet)
		buf_putc(&o->buf, '\n');
	/* The text printer has escaped control characters. */
	o->message(o->arg, buf_str(&o->buf));
	buf_reset(&o->buf);
}

void picture_note(struct output *o, const char *what, const struct buf *text)
{
	printer_text.note(o, what, text);
}

static void picture_nomem(struct output *o)
{
	if (!o->failed)
		output_message(o, "out of memory");
	o->failed = true;
}

static int add_rows(struct agg_table *to, const struct agg_table *from)
{
	int r = 0;

	for (size_t i = 0; !r && i < from->n; i++)
		r = agg_table_put(to, agg_row_key(from, &from->rows[i]), from->rows[i].value);
	return r;
}

void picture_clear(struct output *o, const struct agg_table *table)
{
	struct picture *p = picture_of(o);

	if (!o->cleared) {
		o->cleared = arena_calloc(p->arena, o->ntables, sizeof *o->cleared);
		for (unsigned i = 0; i < o->ntables; i++)
			agg_table_init(&o->cleared[i], o->tables[i].desc);
	}
	if (add_rows(&o->cleared[table->desc->id], table) < 0)
		picture_nomem(o);
}

void picture_close(struct output *o)
{
	for (unsigned i = 0; o->cleared && i < o->ntables; i++)
		agg_table_free(&o->cleared[i]);
	o->cleared = NULL;
	if (picture_of(o))
		buf_free(&picture_of(o)->key);
}

/* ---- frames ---- */

/* Pictures ignore offsets in functions: "a.out`main+0x1a" is "a.out`main". */
static size_t frame_length(const char *s, size_t n)
{
	size_t i = n;

	while (i && strchr("0123456789abcdef", s[i - 1]))
		i--;
	return i >= 3 && i < n && !memcmp(s + i - 3, "+0x", 3) ? i - 3 : n;
}

/* A key and a frame of a stack with the same text are different frames. */
enum text_kind { TEXT_KEY = 'k', TEXT_FRAME = 'f' };

/* The number of a text; *fresh is set to its frame if it is new. */
static uint32_t text_number(struct picture *p, const struct buf *text, enum text_kind kind,
			    struct picture_frame **fresh)
{
	const char *s = arena_printf(p->arena, "%c%s", kind, buf_str(text)), *tick;
	void **number = map_put(&p->numbers, s, strlen(s));

	p->failed |= text->failed;
	*fresh = NULL;
	if (!*number) {
		s++;
		tick = kind == TEXT_KEY ? NULL : strchr(s, '`');
		*fresh = VEC_ADD(p->arena, &p->frames);
		**fresh = (struct picture_frame){
			.text = s, .object = tick ? arena_strndup(p->arena, s, (size_t)(tick - s)) : NULL,
			.name = tick ? tick + 1 : s, .key = kind == TEXT_KEY,
		};
		(*fresh)->function = (*fresh)->name;
		*number = (void *)(uintptr_t)p->frames.n;
	}
	return (uint32_t)(uintptr_t)*number - 1;
}

static uint32_t key_number(struct picture *p, const struct buf *text)
{
	struct picture_frame *fresh;

	return text_number(p, text, TEXT_KEY, &fresh);
}

/* The function's name, which is in front of the source line. */
static const char *function_name(struct picture *p, const struct picture_frame *frame, const struct val_frame *f)
{
	struct buf place = { 0 };
	const char *name;

	val_put_frame(&place, &(struct val_frame){ .text = "", .file = f->file, .line = f->line }, 0);
	name = arena_strndup(p->arena, frame->name, strlen(frame->name) - place.len);
	buf_free(&place);
	return name;
}

/* An interpreted function has no object, and its place is part of its name: "fib (/home/a/s.py:12)". */
static void take_interpreted(struct picture *p, struct picture_frame *f)
{
	const char *line = strrchr(f->text, ':'), *file = strstr(f->text, " (");
	char *end;
	unsigned long n = line ? strtoul(line + 1, &end, 10) : 0;

	if (f->object || !file || !line || line < file + 2 || end == line + 1 || strcmp(end, ")"))
		return;
	f->function = arena_strndup(p->arena, f->text, (size_t)(file - f->text));
	f->file = arena_strndup(p->arena, file + 2, (size_t)(line - file - 2));
	f->line = (uint32_t)n;
}

static uint32_t frame_number(struct picture *p, const struct val_frame *f, bool user)
{
	struct buf text = { 0 };
	struct picture_frame *fresh;
	uint32_t number;

	val_put_frame(&text, f, frame_length(f->text, strlen(f->text)));
	number = text_number(p, &text, TEXT_FRAME, &fresh);
	if (fresh && f->file && !text.failed) {
		fresh->function = function_name(p, fresh, f);
		fresh->file = arena_strdup(p->arena, f->file);
		fresh->line = f->line;
	} else if (fresh) {
		take_interpreted(p, fresh);
	}
	p->frames.v[number].user |= user;
	buf_free(&text);
	return number;
}

static bool field_is_stack(const struct val_field *f)
{
	return f->kind == VAL_STACK || f->kind == VAL_USTACK;
}

void picture_text(struct buf *out, const struct val_field *f, const uint8_t *key, const struct val_names *names)
{
	const uint8_t *p = key + f->off;

	if (val_is_symbolic(f->kind))
		val_show(out, names, f, key);
	else if (f->kind == VAL_STR)
		buf_put(out, p, strnlen((const char *)p, f->size));
	else if (f->kind == VAL_INT)
		buf_printf(out, f->is_signed ? "%lld" : "%llu", (long long)val_int(f, key));
	else if (f->kind == VAL_PTR)
		buf_printf(out, "0x%llx", (unsigned long long)val_int(f, key));
	else if (val_is_float(f))
		buf_printf(out, "%Lg", val_float(f, key));
	else
		for (uint32_t i = 0; i < f->size; i++)
			buf_printf(out, "%02x", p[i]);
}

uint32_t picture_stack_max(const struct val_field *f, const struct val_names *names)
{
	return f->size / 8 * (names && names->frames ? VAL_FRAMES_MAX : 1);
}

/* Frames of a stack as they are found: for each address, the innermost function first. */
struct picture_stack_builder {
	struct picture *p;
	uint32_t *frames;
	unsigned n;
	bool user;
};

static void stack_add(void *arg, const struct val_frame *f)
{
	struct picture_stack_builder *x = arg;

	x->frames[x->n++] = frame_number(x->p, f, x->user);
}

/* An address of a stack, and its frames. Most stacks have the same callers: they are named once. */
struct picture_place {
	const struct val_names *names;
	int64_t owner;
	uint64_t pc, call;	/* call: it is that of a caller */
};

struct picture_known {
	unsigned n;
	uint32_t frames[];
};

static struct picture_known *known_new(struct picture *p, const uint32_t *frames, unsigned n)
{
	struct picture_known *k = arena_alloc(p->arena, sizeof *k + n * sizeof *frames);

	k->n = n;
	memcpy(k->frames, frames, n * sizeof *frames);
	return k;
}

/* Naming where a sample is also counts it. */
static void stack_add_place(struct picture_stack_builder *x, const struct picture_place *at)
{
	void **known = map_put(&x->p->known, at, sizeof *at);
	const struct picture_known *k = *known;
	const unsigned outer = x->n;

	if (k && (at->call || x->p->taken)) {
		memcpy(x->frames + outer, k->frames, k->n * sizeof *k->frames);
		x->n += k->n;
		return;
	}
	x->p->failed |= !val_frames(at->names, at->owner, at->pc, at->call, stack_add, x);
	if (!k)
		*known = known_new(x->p, x->frames + outer, x->n - outer);
}

static void frames_reverse(uint32_t *v, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++) {
		uint32_t last = v[n - 1 - i];

		v[n - 1 - i] = v[i];
		v[i] = last;
	}
}

unsigned picture_stack(struct picture *p, const struct val_field *f, const uint8_t *key, const struct val_names *names,
		       uint32_t *frames)
{
	uint32_t head = f->kind == VAL_USTACK, n = head;
	int64_t owner = head ? (int64_t)val_word(key + f->off, 0) : -1;
	struct picture_stack_builder x = { .p = p, .frames = frames, .user = head };

	while (n < f->size / 8 && val_word(key + f->off, n))
		n++;
	while (n-- > head) {
		uint64_t pc = val_word(key + f->off, n);
		unsigned outer = x.n;

		if (val_is_cut(names, pc))
			stack_add(&x, &(struct val_frame){ .text = VAL_CUT_NAME });
		else
			stack_add_place(&x, &(struct picture_place){ names, owner, pc, n > head });
		frames_reverse(frames + outer, x.n - outer);
	}
	return x.n;
}

struct picture_builder {
	struct picture *p;
	struct buf text;
	uint32_t *v;
	unsigned n;
};

/* Keys, then frames of the process, then those of the kernel: in the order of calls. Returns the number of keys. */
static unsigned path_fill(struct picture_builder *x, const struct agg_table *t, const uint8_t *key, const char *nothing)
{
	const struct agg_desc *d = t->desc;
	unsigned nkeys;

	x->n = 0;
	for (unsigned i = 0; i < d->nkeys; i++) {
		if (field_is_stack(&d->key[i]))
			continue;
		buf_reset(&x->text);
		picture_text(&x->text, &d->key[i], key, t->names);
		x->v[x->n++] = key_number(x->p, &x->text);
	}
	nkeys = x->n;
	for (unsigned i = 0; i < d->nkeys; i++)
		if (d->key[i].kind == VAL_USTACK)
			x->n += picture_stack(x->p, &d->key[i], key, t->names, x->v + x->n);
	for (unsigned i = 0; i < d->nkeys; i++)
		if (d->key[i].kind == VAL_STACK)
			x->n += picture_stack(x->p, &d->key[i], key, t->names, x->v + x->n);
	if (!x->n) {
		buf_reset(&x->text);
		buf_puts(&x->text, nothing);
		x->v[x->n++] = key_number(x->p, &x->text);
	}
	return nkeys;
}

/* ---- aggregations ---- */

const char *picture_name(const struct output *o, const struct picture_agg *a)
{
	const char *name = a->table->desc->name;

	return arena_printf(picture_of(o)->arena, "@%s", strcmp(name, "_") ? name : "");
}

/* The number of events of a histogram; the value of count() or sum(). */
static int64_t row_value(const struct agg_table *t, const int64_t *v)
{
	const struct agg_func *f = t->desc->func;
	struct agg_bucket b;
	int64_t sum = 0;

	if (!f->bucket)
		return f->number(&t->desc->spec, v, t->normal);
	for (unsigned i = 0; f->bucket(&b, &t->desc->spec, v, i, t->normal); i++)
		sum = (int64_t)((uint64_t)sum + (uint64_t)b.count);
	return sum;
}

static void path_add(struct picture *p, struct picture_agg *a, const struct picture_builder *x, unsigned nkeys,
		     int64_t value)
{
	void **at = map_put(&a->by_frames, x->v, x->n * sizeof *x->v);

	if (!*at) {
		*VEC_ADD(p->arena, &a->paths) = (struct picture_path){
			.frames = arena_memdup(p->arena, x->v, x->n * sizeof *x->v), .n = x->n, .nkeys = nkeys,
		};
		*at = (void *)(uintptr_t)a->paths.n;
	}
	a->paths.v[(uintptr_t)*at - 1].value += value;
}

static int agg_take(struct output *o, struct picture_agg *a)
{
	struct picture *p = picture_of(o);
	const struct agg_desc *d = a->table->desc;
	const struct agg_order down = { .reverse = true };
	struct picture_builder x = { .p = p };
	struct agg_row **rows;
	unsigned most = 0, nkeys;
	int64_t value;
	size_t n;

	for (unsigned i = 0; i < d->nkeys; i++)
		most += field_is_stack(&d->key[i]) ? picture_stack_max(&d->key[i], a->table->names) : 1;
	x.v = arena_calloc(p->arena, most + 1, sizeof *x.v);
	if (agg_table_sort(a->table, &down, &rows, &n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n && a->counts; i++) {
		value = row_value(a->table, rows[i]->value);
		a->left_out += value < 0;
		if (value <= 0)
			continue;
		agg_weigh(a->table, rows[i]->value);
		nkeys = path_fill(&x, a->table, agg_row_key(a->table, rows[i]),
				  d->nkeys ? "(no frames)" : picture_name(o, a));
		path_add(p, a, &x, nkeys, value);
	}
	a->rows = arena_memdup(p->arena, rows, n * sizeof *rows);
	a->nrows = n;
	free(rows);
	buf_free(&x.text);
	return 0;
}

/* True if a stack of the path is truncated. */
static bool path_is_cut(const struct picture *p, const struct picture_path *path)
{
	for (unsigned i = path->nkeys; i < path->n; i++)
		if (!strcmp(p->frames.v[path->frames[i]].text, VAL_CUT_NAME))
			return true;
	return false;
}

/* The first aggregation with stacks that counts, or the first that counts. */
static void picture_describe(struct output *o)
{
	const struct picture *p = picture_of(o);
	const struct picture_agg *best = NULL;

	for (size_t i = 0; i < p->aggs.n; i++)
		if (p->aggs.v[i].counts && (!best || (p->aggs.v[i].stacked && !best->stacked)))
			best = &p->aggs.v[i];
	for (size_t i = 0; best && i < best->paths.n; i++) {
		uint64_t value = (uint64_t)best->paths.v[i].value;

		o->drawn.value += value;
		o->drawn.truncated += path_is_cut(p, &best->paths.v[i]) ? value : 0;
	}
	o->drawn.unit = best ? picture_unit(o, best->table).name : NULL;
}

bool picture_take(struct output *o, const struct agg_table *tables, unsigned n)
{
	struct picture *p = picture_of(o);
	int r = 0;

	for (unsigned i = 0; !r && i < n; i++) {
		const struct agg_table *table = &tables[i];
		const struct agg_func *func;
		struct picture_agg *a;

		if (o->cleared && o->cleared[i].n) {
			r = add_rows(&o->cleared[i], table);
			o->cleared[i].names = table->names;
			o->cleared[i].normal = table->normal;
			table = &o->cleared[i];
		}
		if (r || !table->n)
			continue;
		a = VEC_ADD(p->arena, &p->aggs);
		func = table->desc->func;
		*a = (struct picture_agg){ .table = table };
		a->counts = func->bucket || func == agg_func_find("count") || func == agg_func_find("sum");
		map_init(&a->by_frames, p->arena);
		for (unsigned k = 0; k < table->desc->nkeys; k++)
			a->stacked |= field_is_stack(&table->desc->key[k]);
		r = agg_take(o, a);
	}
	if (r || p->failed)
		picture_nomem(o);
	else
		picture_describe(o);
	return !o->failed;
}

void picture_report_omitted(struct output *o)
{
	struct picture *p = picture_of(o);

	for (size_t i = 0; i < p->aggs.n; i++) {
		const struct picture_agg *a = &p->aggs.v[i];

		if (!a->counts)
			output_message(o, "%s is not in the picture: values of %s() cannot be added up",
				       picture_name(o, a), a->table->desc->func->name);
		if (a->left_out)
			output_message(o, "%s: negative values that are not in the picture: %zu", picture_name(o, a),
				a->left_out);
	}
}
