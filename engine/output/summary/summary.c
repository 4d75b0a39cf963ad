/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/summary/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "engine/output/accounts.h"
#include "engine/output/picture/picture.h"
#include "engine/output/shares/shares.h"
#include "engine/symbols/codes.h"

const char *summary_mode_name(enum summary_mode m)
{
	static const char *const names[] = {
		[SUMMARY_USER] = "user", [SUMMARY_KERNEL] = "kernel", [SUMMARY_IDLE] = "idle",
		[SUMMARY_UNKNOWN] = "unknown",
	};

	return names[m];
}

/* ---- the script ---- */

const char *summary_script(struct arena *a, const struct summary *s, bool graph)
{
	const char *probe = s->probe, *text;

	text = arena_printf(a,
			    "#pragma D option stackframes=127\n#pragma D option jstackframes=127\n"
			    "%s /arg0 && pid/ { @kernel[sym(arg0)] = count(); }\n"
			    "%s /arg0 && !pid/ { @idle[sym(arg0)] = count(); }\n"
			    "%s /!arg0 && arg1/ { @user[usym(arg1)%s] = count(); }\n"
			    "%s /!arg0 && !arg1/ { @unknown[!pid] = count(); }\n"
			    "%s { @processes[execname, pid] = count(); }\n", probe, probe, probe,
			    s->stacks ? ", jstack(1)" : "", probe, probe);
	if (s->by_container)
		text = arena_printf(a, "%s%s { @containers[container, pid != 0] = count(); }\n", text, probe);
	if (!graph)
		return text;
	return arena_printf(a, "%s /pid/ { @" SUMMARY_STACKS "[%sexecname, jstack(), stack()] = count(); }\n%s", probe,
			    s->by_container ? "container, " : "", text);
}

/* ---- its aggregations ---- */

struct summing {
	struct summary *s;
	struct arena *arena;
	struct map functions, processes, containers;	/* name -> index + 1 */
	struct buf text;
	bool failed;			/* a text before the current one */
};

static struct summary_row *row_of(struct summing *t, struct summary_list *list, struct map *index, const char *name)
{
	void **slot = map_put(index, name, strlen(name));

	if (!*slot) {
		*VEC_ADD(t->arena, list) = (struct summary_row){ .name = arena_strdup(t->arena, name) };
		*slot = (void *)list->n;
	}
	return &list->v[(size_t)*slot - 1];
}

/* Addresses differ between runs, and each is a row: places without a symbol are combined. */
static const char *symbol_name(struct summing *t, const struct agg_table *table, const uint8_t *key)
{
	const bool user = table->desc->key[0].kind == VAL_USYM;
	const char *tick, *place;

	t->failed |= t->text.failed;
	buf_reset(&t->text);
	picture_text(&t->text, &table->desc->key[0], key, table->names);
	tick = strchr(buf_str(&t->text), '`');
	place = tick ? tick + 1 : buf_str(&t->text);
	if (!strncmp(place, "0x", 2) || !*place) {
		buf_cut(&t->text, (size_t)(place - buf_str(&t->text)));
		buf_printf(&t->text, "%s[unknown]", tick || user ? "" : "kernel`");
	}
	return buf_str(&t->text);
}

/* The name and the file of the function of a script that was executing, instead of its interpreter's; NULL: none. */
static const char *script_name(struct summing *t, const struct agg_table *table, const uint8_t *key)
{
	const struct val_field *stack = &table->desc->key[table->desc->nkeys - 1];
	uint64_t word[2];		/* the process, the innermost frame */
	const char *line;

	if (stack->kind != VAL_USTACK || !table->names || !table->names->addr)
		return NULL;
	memcpy(word, key + stack->off, sizeof word);
	if (!codes_is_word(word[1]))
		return NULL;
	t->failed |= t->text.failed;
	buf_reset(&t->text);
	table->names->addr(table->names->arg, &t->text, (int64_t)word[0], word[1]);
	line = strrchr(buf_str(&t->text), ':');
	if (!line)
		return NULL;
	buf_cut(&t->text, (size_t)(line - buf_str(&t->text)));
	buf_putc(&t->text, ')');
	return buf_str(&t->text);
}

static uint64_t count_of(const struct agg_table *table, size_t row)
{
	return (uint64_t)table->rows[row].value[0];
}

static void take_function(struct summing *t, const struct agg_table *table, size_t row, enum summary_mode mode)
{
	const uint8_t *key = agg_row_key(table, &table->rows[row]);
	const char *script = script_name(t, table, key), *name = script ? script : symbol_name(t, table, key);
	const uint64_t count = count_of(table, row);

	t->s->mode[mode] += count;
	if (mode != SUMMARY_IDLE)
		row_of(t, &t->s->functions, &t->functions, name)->count += count;
}

static void take_kernel(struct summing *t, const struct agg_table *table, size_t row)
{
	take_function(t, table, row, SUMMARY_KERNEL);
}

static void take_user(struct summing *t, const struct agg_table *table, size_t row)
{
	take_function(t, table, row, SUMMARY_USER);
}

/* What the idle thread does apart from waiting, interrupts included, is work of the kernel. */
static void take_idle(struct summing *t, const struct agg_table *table, size_t row)
{
	const char *name = symbol_name(t, table, agg_row_key(table, &table->rows[row]));
	const bool unknown = strstr(name, "[unknown]");

	take_function(t, table, row, unknown || shares_idle(name) ? SUMMARY_IDLE : SUMMARY_KERNEL);
}

static void take_unknown(struct summing *t, const struct agg_table *table, size_t row)
{
	const bool idle = val_int(&table->desc->key[0], agg_row_key(table, &table->rows[row]));

	t->s->mode[idle ? SUMMARY_IDLE : SUMMARY_UNKNOWN] += count_of(table, row);
	if (!idle)
		row_of(t, &t->s->functions, &t->functions, "[unknown]")->count += count_of(table, row);
}

/* A row is a process; the name is that of a thread. */
static void take_process(struct summing *t, const struct agg_table *table, size_t row)
{
	const struct agg_desc *d = table->desc;
	struct summary_row *r;

	if (!val_int(&d->key[1], agg_row_key(table, &table->rows[row])))
		return;
	t->failed |= t->text.failed;
	buf_reset(&t->text);
	picture_text(&t->text, &d->key[0], agg_row_key(table, &table->rows[row]), table->names);
	r = row_of(t, &t->s->processes, &t->processes, buf_str(&t->text));
	r->count += count_of(table, row);
	r->processes++;
}

static void take_container(struct summing *t, const struct agg_table *table, size_t row)
{
	const struct agg_desc *d = table->desc;

	if (!val_int(&d->key[1], agg_row_key(table, &table->rows[row])))
		return;
	t->failed |= t->text.failed;
	buf_reset(&t->text);
	picture_text(&t->text, &d->key[0], agg_row_key(table, &table->rows[row]), table->names);
	row_of(t, &t->s->containers, &t->containers, buf_str(&t->text))->count += count_of(table, row);
}

static int compare_rows(const void *x, const void *y)
{
	const struct summary_row *a = x, *b = y;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void list_sort(struct summary_list *list)
{
	if (list->n)
		qsort(list->v, list->n, sizeof *list->v, compare_rows);
}

/* Work of the idle thread that is not waiting is no process's. */
static void add_rest(struct summing *t, struct summary_list *list, struct map *index)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < list->n; i++)
		sum += list->v[i].count;
	if (sum < t->s->busy)
		row_of(t, list, index, "[idle thread]")->count = t->s->busy - sum;
}

static void summary_finish(struct summing *t, const struct output *o)
{
	struct summary *s = t->s;
	struct accounts_missing m = { 0 };

	for (int i = 0; i < SUMMARY_MODES; i++)
		s->samples += s->mode[i];
	s->busy = s->samples - s->mode[SUMMARY_IDLE];
	add_rest(t, &s->processes, &t->processes);
	if (s->by_container)
		add_rest(t, &s->containers, &t->containers);
	accounts_missing_of(o->accounts, s->interval, &m);
	s->lost = m.lost;
	s->about = o->about;
	s->duration = o->about.timed && o->about.now > o->about.began ? o->about.now - o->about.began : 0;
	list_sort(&s->containers);
	list_sort(&s->processes);
	list_sort(&s->functions);
}

int summary_take(struct summary *s, struct arena *a, const struct output *o, const struct agg_table *tables, unsigned n)
{
	static const struct {
		const char *name;
		void (*take)(struct summing *t, const struct agg_table *table, size_t row);
	} takers[] = {
		{ "kernel", take_kernel }, { "idle", take_idle }, { "user", take_user }, { "unknown", take_unknown },
		{ "processes", take_process }, { "containers", take_container },
	};
	struct summing t = { .s = s, .arena = a };

	map_init(&t.functions, a);
	map_init(&t.processes, a);
	map_init(&t.containers, a);
	for (unsigned i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof takers / sizeof *takers; k++)
			for (size_t row = 0; !strcmp(tables[i].desc->name, takers[k].name) && row < tables[i].n; row++)
				takers[k].take(&t, &tables[i], row);
	summary_finish(&t, o);
	buf_free(&t.text);
	return t.failed || t.text.failed ? -ENOMEM : 0;
}
