/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -O speedscope: its own file format: the frames, then a sampled profile for each aggregation. */
#include "base/json.h"
#include "engine/output/list.h"
#include "engine/output/picture/picture.h"

static void put_frames(struct buf *b, const struct picture *p)
{
	json_name(b, "shared");
	json_open(b, '{');
	json_name(b, "frames");
	json_open(b, '[');
	for (size_t i = 0; i < p->frames.n; i++) {
		const struct picture_frame *f = &p->frames.v[i];

		json_open(b, '{');
		json_member_text(b, "name", f->function);
		if (f->file || f->object)
			json_member_text(b, "file", f->file ? f->file : f->object);
		if (f->line)
			json_member_uint(b, "line", f->line);
		json_close(b, '}');
	}
	json_close(b, ']');
	json_close(b, '}');
}

static void put_samples(struct buf *b, const struct picture_agg *a)
{
	json_name(b, "samples");
	json_open(b, '[');
	for (size_t i = 0; i < a->paths.n; i++) {
		json_open(b, '[');
		for (unsigned k = 0; k < a->paths.v[i].n; k++)
			json_uint(b, a->paths.v[i].frames[k]);
		json_close(b, ']');
	}
	json_close(b, ']');
	json_name(b, "weights");
	json_open(b, '[');
	for (size_t i = 0; i < a->paths.n; i++)
		json_int(b, a->paths.v[i].value);
	json_close(b, ']');
}

static void put_profile(struct output *o, const struct picture_agg *a)
{
	struct picture_unit unit = picture_unit(o, a->table);
	struct buf *b = &o->buf;
	int64_t sum = 0;

	for (size_t i = 0; i < a->paths.n; i++)
		sum += a->paths.v[i].value;
	json_open(b, '{');
	json_member_text(b, "type", "sampled");
	json_member_text(b, "name", !o->codeless ? picture_name(o, a) :
			 arena_printf(picture_of(o)->arena, "%s " PICTURE_CODELESS, picture_name(o, a)));
	json_member_text(b, "unit", unit.name && !unit.interval ? unit.name : "none");	/* samples are no unit there */
	json_member_int(b, "startValue", 0);
	json_member_int(b, "endValue", sum);
	put_samples(b, a);
	json_close(b, '}');
}

static void speedscope_draw(struct output *o, const struct agg_table *tables, unsigned n)
{
	struct picture *p = picture_of(o);
	struct buf *b = &o->buf;

	if (!picture_take(o, tables, n))
		return;
	picture_report_omitted(o);
	json_open(b, '{');
	json_member_text(b, "$schema", "https://www.speedscope.app/file-format-schema.json");
	put_frames(b, p);
	json_name(b, "profiles");
	json_open(b, '[');
	for (size_t i = 0; i < p->aggs.n; i++)
		if (p->aggs.v[i].counts)
			put_profile(o, &p->aggs.v[i]);
	json_close(b, ']');
	json_member_text(b, "exporter", "dtr");
	if (o->codeless)
		json_member_text(b, "name", PICTURE_CODELESS);
	json_close(b, '}');
	buf_putc(b, '\n');
}

const struct printer printer_speedscope = {
	.pure = true,
	.begin = picture_begin,
	.action = picture_action,
	.record_end = picture_record_end,
	.clear = picture_clear,
	.aggregations = speedscope_draw,
	.probes = list_text_head,
	.probe = list_text_probe,
	.note = picture_note,
	.close = picture_close,
};
