/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "aggregation/set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

/* ---- texts ---- */

uint64_t agg_set_text(struct agg_set *s, const char *text, size_t n)
{
	void **number = map_put(&s->numbers, text, n);

	if (!*number) {
		*VEC_ADD(s->arena, &s->texts) = arena_strndup(s->arena, text, n);
		*number = (void *)(uintptr_t)s->texts.n;
		if (n == strlen(VAL_CUT_NAME) && !memcmp(text, VAL_CUT_NAME, n))
			s->names.cut = s->texts.n;
	}
	return (uintptr_t)*number;
}

static void set_show_text(const struct agg_set *s, struct buf *out, uint64_t number)
{
	const char *t = number && number <= s->texts.n ? s->texts.v[number - 1] : "?";

	escape_puts(out, t, ESCAPE_LINE);
}

static bool kind_is_stack(unsigned kind)
{
	return kind == VAL_STACK || kind == VAL_USTACK;
}

/* The number of words before the texts: 1 for the owner of user addresses, else 0. */
static uint32_t kind_head(unsigned kind)
{
	return val_is_user(kind);
}

static void set_addr(void *arg, struct buf *out, int64_t pid, uint64_t addr)
{
	(void)pid;
	set_show_text(arg, out, addr);
}

static void set_show(void *arg, struct buf *out, const struct val_field *f, const void *base)
{
	const uint8_t *p = (const uint8_t *)base + f->off;
	const struct agg_set *s = arg;

	if (!kind_is_stack(f->kind)) {
		set_show_text(s, out, val_word(p, kind_head(f->kind)));
		return;
	}
	buf_putc(out, '\n');
	for (uint32_t i = kind_head(f->kind); i < f->size / 8 && val_word(p, i) &&
	     !val_is_cut(&s->names, val_word(p, i)); i++) {
		buf_pad(out, ' ', s->indent);
		set_show_text(s, out, val_word(p, i));
		buf_putc(out, '\n');
	}
}

/* ---- sets ---- */

void agg_set_open(struct agg_set *s, struct arena *a, unsigned n)
{
	*s = (struct agg_set){ .arena = a, .name = "", .program = "", .n = n, .indent = VAL_STACK_INDENT };
	s->descs = arena_calloc(a, n, sizeof *s->descs);
	s->names = (struct val_names){ .arg = s, .show = set_show, .addr = set_addr, .texts = true, .target = -1 };
	map_init(&s->numbers, a);
}

void agg_set_tables(struct agg_set *s)
{
	s->tables = arena_calloc(s->arena, s->n, sizeof *s->tables);
	for (unsigned i = 0; i < s->n; i++) {
		struct agg_desc *d = &s->descs[i];

		d->id = i;
		agg_key_layout(d);
		d->valsize = d->func->size(&d->spec);
		agg_table_init(&s->tables[i], d);
		s->tables[i].names = &s->names;
	}
}

void agg_set_close(struct agg_set *s)
{
	for (unsigned i = 0; s->tables && i < s->n; i++)
		agg_table_free(&s->tables[i]);
	s->n = 0;
}

/* ---- from a session ---- */

static void take_addr(const struct val_names *names, struct buf *out, int64_t pid, uint64_t addr)
{
	if (val_is_cut(names, addr))
		buf_puts(out, VAL_CUT_NAME);
	else if (names && names->addr)
		names->addr(names->arg, out, pid, addr);
	else
		buf_printf(out, "0x%" PRIx64, addr);
}

static void put_word(uint8_t *p, uint32_t i, uint64_t w)
{
	memcpy(p + 8 * (size_t)i, &w, sizeof w);
}

/* A key of the set, and the text of one of its addresses. */
struct taken_key {
	const struct agg_desc *desc;
	uint8_t *bytes;
	struct buf text;
};

/* Copies field i of a session's key and replaces addresses by the numbers of their texts. Returns 0 or -ENOMEM. */
static int take_field(struct agg_set *s, struct taken_key *out, const struct agg_table *from, const uint8_t *key,
		      unsigned i)
{
	const struct val_field *f = &from->desc->key[i];
	const uint8_t *p = key + f->off;
	uint8_t *to = out->bytes + out->desc->key[i].off;
	uint32_t head = kind_head(f->kind);

	if (!val_is_symbolic(f->kind)) {
		memcpy(to, p, f->size);
		return 0;
	}
	for (uint32_t w = head; w < f->size / 8; w++) {
		buf_reset(&out->text);
		if (!kind_is_stack(f->kind))
			val_show(&out->text, from->names, f, key);
		else if (val_word(p, w))
			take_addr(from->names, &out->text, head ? (int64_t)val_word(p, 0) : -1, val_word(p, w));
		else
			break;
		if (out->text.failed)
			return -ENOMEM;
		put_word(to, w, agg_set_text(s, buf_str(&out->text), out->text.len));
	}
	return 0;
}

static int take_rows(struct agg_set *s, struct agg_table *to, const struct agg_table *from)
{
	struct taken_key key = { .desc = to->desc, .bytes = calloc(1, to->desc->keysize + 1) };
	int r = key.bytes ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < from->n; i++) {
		const uint8_t *old = agg_row_key(from, &from->rows[i]);

		memset(key.bytes, 0, to->desc->keysize);
		for (unsigned k = 0; !r && k < to->desc->nkeys; k++)
			r = take_field(s, &key, from, old, k);
		if (!r)
			r = agg_table_put(to, key.bytes, from->rows[i].value);
	}
	buf_free(&key.text);
	free(key.bytes);
	return r;
}

int agg_set_take(struct agg_set *s, struct arena *a, const struct agg_table *tables, unsigned n)
{
	int r = 0;

	agg_set_open(s, a, n);
	for (unsigned i = 0; i < n; i++)
		s->descs[i] = *tables[i].desc;
	agg_set_tables(s);
	for (unsigned i = 0; !r && i < n; i++) {
		s->tables[i].normal = tables[i].normal;
		r = take_rows(s, &s->tables[i], &tables[i]);
	}
	return r;
}

/* ---- the sum ---- */

struct numbered {
	const char *text;
	size_t number;
};

static int numbered_compare(const void *a, const void *b)
{
	return strcmp(((const struct numbered *)a)->text, ((const struct numbered *)b)->text);
}

/* Numbers the texts in sorted order, which defines the order of rows that differ only in texts. Returns a table:
 * rank[old number] = new number. */
static uint64_t *set_sort_texts(struct agg_set *s)
{
	struct numbered *order = arena_calloc(s->arena, s->texts.n + 1, sizeof *order);
	uint64_t *rank = arena_calloc(s->arena, s->texts.n + 1, sizeof *rank);

	for (size_t i = 0; i < s->texts.n; i++)
		order[i] = (struct numbered){ s->texts.v[i], i + 1 };
	qsort(order, s->texts.n, sizeof *order, numbered_compare);
	for (size_t i = 0; i < s->texts.n; i++) {
		s->texts.v[i] = order[i].text;
		rank[order[i].number] = i + 1;
	}
	s->names.cut = rank[s->names.cut];
	map_init(&s->numbers, s->arena);	/* drops the old numbers */
	return rank;
}

/* Adds the texts of a set to the sum. Returns their numbers there; [0] is 0. */
static uint64_t *unite_texts(struct agg_set *sum, const struct agg_set *from)
{
	uint64_t *number = arena_calloc(sum->arena, from->texts.n + 1, sizeof *number);

	for (size_t i = 0; i < from->texts.n; i++)
		number[i + 1] = agg_set_text(sum, from->texts.v[i], strlen(from->texts.v[i]));
	return number;
}

/* What becomes of a text's number: rank[number[old]]. */
struct new_numbers {
	const uint64_t *number, *rank;
};

/* Converts a key to the layout of the sum, whose stacks may have room for a truncation mark that this set lacks. */
static void renumber_key(const struct agg_desc *d, uint8_t *key, const struct agg_desc *from, const uint8_t *old,
			 const struct new_numbers *to)
{
	memset(key, 0, d->keysize);
	for (unsigned k = 0; k < d->nkeys; k++) {
		const struct val_field *f = &d->key[k];

		memcpy(key + f->off, old + from->key[k].off, from->key[k].size);
		for (uint32_t i = kind_head(f->kind); val_is_symbolic(f->kind) && i < f->size / 8; i++)
			put_word(key + f->off, i, to->rank[to->number[val_word(key + f->off, i)]]);
	}
}

static int unite_rows(struct agg_table *sum, const struct agg_table *from, const struct new_numbers *numbers)
{
	const struct agg_desc *d = sum->desc;
	uint8_t *key = malloc(d->keysize + 1), *old = malloc(from->desc->keysize + 1);
	int r = key && old ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < from->n; i++) {
		agg_key_copy(from->desc, old, agg_row_key(from, &from->rows[i]));
		renumber_key(d, key, from->desc, old, numbers);
		r = agg_table_put(sum, key, from->rows[i].value);
	}
	free(old);
	free(key);
	return r;
}

static void widen_keys(struct agg_desc *to, const struct agg_desc *from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < to[i].nkeys; k++)
			if (from[i].key[k].size > to[i].key[k].size)
				to[i].key[k].size = from[i].key[k].size;
}

/* The host of all sets, in the arena; NULL if they have different ones. */
static const char *common_host(struct arena *a, struct agg_set *const *sets, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!sets[i]->host || strcmp(sets[i]->host, sets[0]->host))
			return NULL;
	return arena_strdup(a, sets[0]->host);
}

/* Adds the sets from `first` to `last` to an empty sum. Texts are numbered as in the sum of all n sets. */
static int set_add(struct agg_set *sum, struct agg_set *const *sets, unsigned n, unsigned first, unsigned last)
{
	struct arena *a = sum->arena;
	struct new_numbers *numbers = arena_calloc(a, n, sizeof *numbers);
	const uint64_t *rank;
	int r = 0;

	sum->program = sets[0]->program;
	sum->program_len = sets[0]->program_len;
	sum->indent = sets[0]->indent;
	sum->host = common_host(a, sets, n);
	memcpy(sum->descs, sets[0]->descs, sum->n * sizeof *sum->descs);
	for (unsigned i = 1; i < n; i++)
		widen_keys(sum->descs, sets[i]->descs, sum->n);
	agg_set_tables(sum);
	for (unsigned i = 0; i < n; i++)
		numbers[i].number = unite_texts(sum, sets[i]);
	rank = set_sort_texts(sum);
	for (unsigned i = 0; i < n; i++)
		numbers[i].rank = rank;
	for (unsigned k = 0; k < sum->n; k++) {
		sum->tables[k].normal = sets[first]->tables[k].normal;
		for (unsigned i = first; !r && i <= last; i++) {
			/* with different divisors none is applied: a sum of such rates would mean nothing */
			if (sets[i]->tables[k].normal != sum->tables[k].normal)
				sum->tables[k].normal = 1;
			r = unite_rows(&sum->tables[k], &sets[i]->tables[k], &numbers[i]);
		}
	}
	return r;
}

int agg_set_unite(struct agg_set *sum, struct arena *a, struct agg_set *const *sets, unsigned n)
{
	agg_set_open(sum, a, sets[0]->n);
	return set_add(sum, sets, n, 0, n - 1);
}

int agg_set_number(struct agg_set *one, struct arena *a, struct agg_set *const *sets, unsigned n, unsigned i)
{
	agg_set_open(one, a, sets[0]->n);
	return set_add(one, sets, n, i, i);
}

/* ---- one after the other ---- */

void agg_set_shape(struct agg_set *all, struct arena *a, const struct agg_set *first)
{
	agg_set_open(all, a, first->n);
	all->program = arena_memdup(a, first->program, first->program_len);
	all->program_len = first->program_len;
	all->indent = first->indent;
	memcpy(all->descs, first->descs, all->n * sizeof *all->descs);
	for (unsigned i = 0; i < all->n; i++) {
		struct agg_desc *d = &all->descs[i];

		d->name = arena_strdup(a, d->name);
		for (unsigned k = 0; k < d->nkeys; k++)
			d->keyname[k] = d->keyname[k] ? arena_strdup(a, d->keyname[k]) : NULL;
	}
}

void agg_set_gather(struct agg_set *all, const struct agg_set *from)
{
	widen_keys(all->descs, from->descs, all->n);
	for (size_t i = 0; i < from->texts.n; i++)
		agg_set_text(all, from->texts.v[i], strlen(from->texts.v[i]));
}

void agg_set_gathered(struct agg_set *all)
{
	set_sort_texts(all);
	for (size_t i = 0; i < all->texts.n; i++)
		*map_put(&all->numbers, all->texts.v[i], strlen(all->texts.v[i])) = (void *)(uintptr_t)(i + 1);
	agg_set_tables(all);
}

void agg_set_part(struct agg_set *part, struct arena *a, const struct agg_set *all)
{
	agg_set_open(part, a, all->n);
	part->program = all->program;
	part->program_len = all->program_len;
	part->indent = all->indent;
	part->texts = all->texts;
	part->names.cut = all->names.cut;
	memcpy(part->descs, all->descs, part->n * sizeof *part->descs);
	agg_set_tables(part);
	for (unsigned i = 0; i < part->n; i++)
		part->tables[i].normal = all->tables[i].normal;
}

int agg_set_put(struct agg_set *part, const struct agg_set *all, const struct agg_set *from)
{
	uint64_t *number = calloc(from->texts.n + 1, sizeof *number), *same = calloc(all->texts.n + 1, sizeof *same);
	int r = number && same ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i <= all->texts.n; i++)
		same[i] = i;
	for (size_t i = 0; !r && i < from->texts.n; i++) {
		void **found = map_find(&all->numbers, from->texts.v[i], strlen(from->texts.v[i]));

		r = found ? 0 : -ESTALE;
		number[i + 1] = found ? (uintptr_t)*found : 0;
	}
	for (unsigned i = 0; !r && i < part->n; i++)
		r = unite_rows(&part->tables[i], &from->tables[i], &(struct new_numbers){ number, same });
	free(number);
	free(same);
	return r;
}

/* ---- matching ---- */

/* Appends the first line of s in quotes, shortened if necessary. */
static void put_line(struct buf *out, const char *s, size_t n)
{
	size_t len = 0;

	while (len < n && s[len] != '\n' && len < 100)
		len++;
	buf_putc(out, '\'');
	for (size_t i = 0; i < len; i++)
		buf_putc(out, (unsigned char)s[i] < ' ' ? ' ' : s[i]);
	buf_puts(out, len < n && s[len] != '\n' ? "...'" : "'");
}

static void program_difference(struct buf *reason, const struct agg_set *a, const struct agg_set *b)
{
	size_t line = 0, i = 0;

	while (i < a->program_len && i < b->program_len && a->program[i] == b->program[i])
		line = a->program[i++] == '\n' ? i : line;
	buf_puts(reason, "they come from different programs: ");
	put_line(reason, a->program + line, a->program_len - line);
	buf_puts(reason, " and ");
	put_line(reason, b->program + line, b->program_len - line);
}

static void put_spec(struct buf *out, const struct agg_desc *d)
{
	buf_printf(out, "%s(", d->func->name);
	for (unsigned i = 0; i < d->spec.nparams && i < AGG_MAXPARAMS; i++)
		buf_printf(out, "%s%" PRId64, i ? ", " : "", d->spec.p[i]);
	buf_putc(out, ')');
}

static void put_type(struct buf *out, const struct val_field *f)
{
	static const char *const kinds[] = {
		[VAL_INT] = "integer", [VAL_PTR] = "pointer", [VAL_STR] = "string", [VAL_BYTES] = "structure",
		[VAL_STACK] = "stack()", [VAL_USTACK] = "ustack()", [VAL_SYM] = "sym()", [VAL_MOD] = "mod()",
		[VAL_USYM] = "usym()", [VAL_UMOD] = "umod()", [VAL_UADDR] = "uaddr()",
		[VAL_CGROUP] = "cgroup", [VAL_CONTAINER] = "container", [VAL_POD] = "pod", [VAL_IMAGE] = "image",
	};

	buf_printf(out, "%s%s of %u bytes", f->kind == VAL_INT && !f->is_signed ? "unsigned " : "",
		   val_is_float(f) ? "floating-point number" : kinds[f->kind], f->size);
}

/* Stacks in older files lack room for a truncation mark. */
static bool same_size(const struct val_field *f, const struct val_field *g)
{
	return f->size == g->size || (kind_is_stack(f->kind) && (f->size + 8 == g->size || g->size + 8 == f->size));
}

/* Compares two aggregations. Returns false and appends the difference to `why`. */
static bool match_desc(const struct agg_desc *a, const struct agg_desc *b, struct buf *reason)
{
	if (strcmp(a->name, b->name)) {
		buf_printf(reason, "an aggregation is @%s in one and @%s in the other", a->name, b->name);
		return false;
	}
	if (a->func != b->func || a->spec.nparams != b->spec.nparams ||
	    memcmp(a->spec.p, b->spec.p, sizeof a->spec.p)) {
		buf_printf(reason, "@%s is ", a->name);
		put_spec(reason, a);
		buf_puts(reason, " in one and ");
		put_spec(reason, b);
		buf_puts(reason, " in the other");
		return false;
	}
	if (a->nkeys != b->nkeys) {
		buf_printf(reason, "@%s has %u keys in one and %u in the other", a->name, a->nkeys, b->nkeys);
		return false;
	}
	for (unsigned i = 0; i < a->nkeys; i++) {
		const struct val_field *f = &a->key[i], *g = &b->key[i];

		if (f->kind == g->kind && same_size(f, g) && f->is_signed == g->is_signed)
			continue;
		buf_printf(reason, "key %u of @%s is of type ", i + 1, a->name);
		put_type(reason, f);
		buf_puts(reason, " in one and ");
		put_type(reason, g);
		buf_puts(reason, " in the other");
		return false;
	}
	return true;
}

bool agg_set_match(const struct agg_set *a, const struct agg_set *b, struct buf *reason)
{
	if (a->program_len != b->program_len || memcmp(a->program, b->program, a->program_len)) {
		program_difference(reason, a, b);
		return false;
	}
	if (a->n != b->n) {
		buf_printf(reason, "one has %u aggregations and the other %u", a->n, b->n);
		return false;
	}
	for (unsigned i = 0; i < a->n; i++)
		if (!match_desc(&a->descs[i], &b->descs[i], reason))
			return false;
	return true;
}
