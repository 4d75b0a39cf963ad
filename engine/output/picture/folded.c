/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -O folded: one line per path: its frames from the root, separated by semicolons, a blank, the value. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"

#include "engine/output/list.h"
#include "engine/output/picture/picture.h"

/* Semicolons and line ends are separators, so they are replaced. */
static void put_frame(struct buf *out, const char *s)
{
	for (size_t n; n = strcspn(s, ";"), escape_put(out, s, n, ESCAPE_LINE), s[n]; s += n + 1)
		buf_putc(out, ':');
}

/* first[2]: frames before those of the path, or NULL. */
static void put_path(struct buf *out, const struct picture *p, const struct picture_path *path,
		     const char *const first[2])
{
	const char *separator = "";

	for (unsigned i = 0; i < 2 + path->n; i++) {
		const char *frame = i < 2 ? first[i] : p->frames.v[path->frames[i - 2]].text;

		if (!frame)
			continue;
		buf_puts(out, separator);
		put_frame(out, frame);
		separator = ";";
	}
	buf_printf(out, " %" PRId64 "\n", path->value);
}

/* Counts of different things cannot be mixed: if any aggregation has stacks, those without are omitted. */
static bool is_shown(const struct picture_agg *a, bool stacked)
{
	return a->counts && (a->stacked || !stacked);
}

static void folded_draw(struct output *o, const struct agg_table *tables, unsigned n)
{
	struct picture *p = picture_of(o);
	bool stacked = false;
	unsigned shown = 0;

	if (!picture_take(o, tables, n))
		return;
	picture_report_omitted(o);
	for (size_t i = 0; i < p->aggs.n; i++)
		stacked |= p->aggs.v[i].stacked && p->aggs.v[i].counts;
	for (size_t i = 0; i < p->aggs.n; i++)
		shown += is_shown(&p->aggs.v[i], stacked);
	for (size_t i = 0; i < p->aggs.n; i++) {
		const struct picture_agg *a = &p->aggs.v[i];
		const char *name = picture_name(o, a);

		if (a->counts && !is_shown(a, stacked))
			output_message(o, "%s is not in the picture: it has no stack", name);
		for (size_t k = 0; is_shown(a, stacked) && k < a->paths.n; k++)
			put_path(&o->buf, p, &a->paths.v[k], (const char *const[]){
				 o->codeless ? "[" PICTURE_CODELESS "]" : NULL,
				 shown > 1 && a->table->desc->nkeys ? name : NULL });
	}
}

const struct printer printer_folded = {
	.pure = true,
	.begin = picture_begin,
	.action = picture_action,
	.record_end = picture_record_end,
	.clear = picture_clear,
	.aggregations = folded_draw,
	.probes = list_text_head,
	.probe = list_text_probe,
	.note = picture_note,
	.close = picture_close,
};
