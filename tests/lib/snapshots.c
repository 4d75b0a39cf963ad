/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/snapshots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void take_message(void *arg, const char *text)
{
	buf_puts(&((struct snapshots *)arg)->messages, text);
}

bool snapshots_open(struct snapshots *s, const char *script, const char *engine, const char *const *options)
{
	struct dtr_config config = { .progname = "dtr", .message = take_message, .arg = s };

	memset(s, 0, sizeof *s);
	config.out = s->file = open_memstream(&s->out, &s->out_len);
	s->t = dtr_open(&config);
	dtr_option(s->t, "quiet", NULL);
	dtr_option(s->t, "nolibs", NULL);
	dtr_option(s->t, "engine", engine);
	dtr_option(s->t, "switchrate", "5ms");
	for (; options && *options; options += 2)
		dtr_option(s->t, options[0], options[1]);
	if (!dtr_add_text(s->t, script, DTR_PROBE) && !dtr_compile(s->t) && !dtr_go(s->t))
		return true;
	printf("# %s\n", buf_str(&s->messages));
	snapshots_close(s);
	return false;
}

void snapshots_close(struct snapshots *s)
{
	dtr_finish(s->t);
	dtr_close(s->t);
	fclose(s->file);
	free(s->out);
	buf_free(&s->messages);
	buf_free(&s->text);
}

void snapshots_take(struct snapshots *s)
{
	if (dtr_snapshot(s->t))
		printf("# no snapshot: %s\n", buf_str(&s->messages));
}

static int put_row(void *arg, const struct dtr_row *r)
{
	struct buf *b = arg;

	for (unsigned i = 0; i < r->n_keys; i++)
		buf_printf(b, "%s%s", i ? "," : "", r->keys[i].text);
	buf_printf(b, "=%" PRId64, r->value);
	if (r->has_count)
		buf_printf(b, " n=%" PRId64, r->count);
	if (r->has_sum)
		buf_printf(b, " s=%" PRId64, r->sum);
	for (unsigned i = 0; i < r->n_buckets; i++)
		buf_printf(b, " [%" PRId64 ",%" PRId64 "]:%" PRId64, r->buckets[i].from, r->buckets[i].to,
			   r->buckets[i].count);
	buf_putc(b, '\n');
	return 0;
}

const char *snapshots_rows(struct snapshots *s, const char *name)
{
	struct dtr_agg agg;

	buf_reset(&s->text);
	for (unsigned i = 0; dtr_agg(s->t, i, &agg); i++)
		if (!strcmp(agg.name, name))
			dtr_agg_rows(s->t, i, put_row, &s->text);
	return buf_str(&s->text);
}

static unsigned lines(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

const char *snapshots_printed(struct snapshots *s, unsigned n)
{
	do
		fflush(s->file);
	while (lines(s->out + s->seen) < n && dtr_work(s->t) == DTR_MORE);
	buf_reset(&s->text);
	buf_puts(&s->text, s->out + s->seen);
	s->seen = s->out_len;
	return buf_str(&s->text);
}
