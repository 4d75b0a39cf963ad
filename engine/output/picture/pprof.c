/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -O pprof: pprof's profile.proto, gzipped. Each aggregation is a type of sample, each frame a location with its
 * function, each object a mapping. Keys that are not stacks are frames at the root, as in other pictures, and also
 * labels: container, pod, image, cgroup, others key1, key2, ...
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/protobuf.h"
#include "engine/output/list.h"
#include "engine/output/picture/picture.h"

/* Fields of the messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING,
	PROFILE_TIME = 9, PROFILE_DURATION, PROFILE_PERIOD_TYPE, PROFILE_PERIOD, PROFILE_COMMENT, PROFILE_DEFAULT_TYPE,
	TYPE_TYPE = 1, TYPE_UNIT,
	SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL,
	LABEL_KEY = 1, LABEL_STRING,
	MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7,
	LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_LINE = 4,
	LINE_FUNCTION = 1, LINE_NUMBER,
	FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE,
};

struct pprof_writer {
	const struct output *output;
	struct arena *arena;
	struct buf out, part, inner;
	struct map strings, objects;		/* -> index + 1 */
};

static uint64_t number_of(struct map *m, const char *s)
{
	void **at = map_put(m, s, strlen(s));

	if (!*at)
		*at = (void *)(uintptr_t)m->n;
	return (uintptr_t)*at;
}

/* Strings are numbered from 0, which is "". */
static uint64_t string_number(struct pprof_writer *o, const char *s)
{
	return number_of(&o->strings, s) - 1;
}

/* Samples are "count", by which pprof shows no unit. */
static const char *unit_name(const struct pprof_writer *o, const struct agg_table *t)
{
	struct picture_unit unit = picture_unit(o->output, t);

	if (unit.name && !unit.interval)
		return unit.name;
	return t->desc->func == agg_func_find("sum") ? "sum" : "count";
}

static void put_types(struct pprof_writer *o, const struct picture *p)
{
	for (size_t i = 0; i < p->aggs.n; i++) {
		if (!p->aggs.v[i].counts)
			continue;
		protobuf_number(&o->part, TYPE_TYPE, string_number(o, picture_name(o->output, &p->aggs.v[i])));
		protobuf_number(&o->part, TYPE_UNIT, string_number(o, unit_name(o, p->aggs.v[i].table)));
		protobuf_part(&o->out, PROFILE_SAMPLE_TYPE, &o->part);
	}
}

/* The aggregation that pprof shows first: one with stacks. Without this field it would take the last one. */
static void put_default(struct pprof_writer *o, const struct picture *p)
{
	const struct picture_agg *best = NULL;

	for (size_t i = p->aggs.n; i-- > 0;)
		if (p->aggs.v[i].counts && (!best || p->aggs.v[i].stacked || !best->stacked))
			best = &p->aggs.v[i];
	if (best)
		protobuf_number(&o->out, PROFILE_DEFAULT_TYPE, string_number(o, picture_name(o->output, best)));
}

/* The labels of the keys that are frames. Stores of profiles select by the names of containers. */
static void label_names(const struct pprof_writer *o, const struct agg_desc *d, const char *names[AGG_MAXKEYS])
{
	static const char *const groups[] = {
		[VAL_CGROUP] = "cgroup", [VAL_CONTAINER] = "container", [VAL_POD] = "pod", [VAL_IMAGE] = "image",
	};
	unsigned n = 0;

	for (unsigned i = 0; i < d->nkeys; i++) {
		const unsigned kind = d->key[i].kind;

		if (kind == VAL_STACK || kind == VAL_USTACK)
			continue;
		names[n] = val_is_cgroup(kind) ? groups[kind] : arena_printf(o->arena, "key%u", n + 1);
		n++;
	}
}

/* The leaf comes first; locations are numbered from 1. */
static void put_sample(struct pprof_writer *o, const struct picture *p, const struct picture_path *path,
		       const char *const *labels, unsigned type, unsigned ntypes)
{
	for (unsigned i = path->n; i > 0; i--)
		protobuf_varint(&o->inner, path->frames[i - 1] + 1);
	protobuf_part(&o->part, SAMPLE_LOCATIONS, &o->inner);
	for (unsigned i = 0; i < ntypes; i++)
		protobuf_varint(&o->inner, i == type ? (uint64_t)path->value : 0);
	protobuf_part(&o->part, SAMPLE_VALUES, &o->inner);
	for (unsigned i = 0; i < path->nkeys; i++) {
		protobuf_number(&o->inner, LABEL_KEY, string_number(o, labels[i]));
		protobuf_number(&o->inner, LABEL_STRING, string_number(o, p->frames.v[path->frames[i]].text));
		protobuf_part(&o->part, SAMPLE_LABEL, &o->inner);
	}
	protobuf_part(&o->out, PROFILE_SAMPLE, &o->part);
}

static void put_samples(struct pprof_writer *o, const struct picture *p)
{
	unsigned ntypes = 0, type = 0;

	for (size_t i = 0; i < p->aggs.n; i++)
		ntypes += p->aggs.v[i].counts;
	for (size_t i = 0; i < p->aggs.n; i++) {
		const struct picture_agg *a = &p->aggs.v[i];
		const char *labels[AGG_MAXKEYS];

		label_names(o, a->table->desc, labels);
		for (size_t k = 0; k < a->paths.n; k++)
			put_sample(o, p, &a->paths.v[k], labels, type, ntypes);
		type += a->counts;
	}
}

static void put_location(struct pprof_writer *o, uint64_t id, const struct picture_frame *f)
{
	protobuf_number(&o->part, LOCATION_ID, id);
	if (f->object)
		protobuf_number(&o->part, LOCATION_MAPPING, number_of(&o->objects, f->object));
	protobuf_number(&o->inner, LINE_FUNCTION, id);
	if (f->line)
		protobuf_number(&o->inner, LINE_NUMBER, f->line);
	protobuf_part(&o->part, LOCATION_LINE, &o->inner);
	protobuf_part(&o->out, PROFILE_LOCATION, &o->part);

	protobuf_number(&o->part, FUNCTION_ID, id);
	protobuf_number(&o->part, FUNCTION_NAME, string_number(o, f->function));
	protobuf_number(&o->part, FUNCTION_SYSTEM_NAME, string_number(o, f->function));
	if (f->file || f->object)
		protobuf_number(&o->part, FUNCTION_FILE, string_number(o, f->file ? f->file : f->object));
	protobuf_part(&o->out, PROFILE_FUNCTION, &o->part);
}

/* The CPU time that a sample represents, if samples are counted. */
static void put_period(struct pprof_writer *o, const struct picture *p)
{
	uint64_t interval = 0;

	for (size_t i = 0; i < p->aggs.n && !interval; i++)
		interval = picture_unit(o->output, p->aggs.v[i].table).interval;
	if (!interval)
		return;
	protobuf_number(&o->part, TYPE_TYPE, string_number(o, "cpu"));
	protobuf_number(&o->part, TYPE_UNIT, string_number(o, "nanoseconds"));
	protobuf_part(&o->out, PROFILE_PERIOD_TYPE, &o->part);
	protobuf_number(&o->out, PROFILE_PERIOD, interval);
}

static void put_profile(struct pprof_writer *o, struct picture *p)
{
	const struct run_about *about = &o->output->about;
	const char *program;

	string_number(o, "");
	put_types(o, p);
	put_default(o, p);
	put_samples(o, p);
	program = picture_program(p, about->program);
	if (program)	/* readers take the first mapping as the main program */
		number_of(&o->objects, program);
	for (size_t i = 0; i < p->frames.n; i++)
		put_location(o, i + 1, &p->frames.v[i]);
	for (size_t i = 0; i < o->objects.n; i++) {
		const char *object = arena_strndup(o->arena, o->objects.entries[i].key, o->objects.entries[i].len);

		protobuf_number(&o->part, MAPPING_ID, i + 1);
		protobuf_number(&o->part, MAPPING_FILE, string_number(o, object));
		protobuf_number(&o->part, MAPPING_HAS_FUNCTIONS, 1);
		protobuf_part(&o->out, PROFILE_MAPPING, &o->part);
	}
	if (about->dated)
		protobuf_number(&o->out, PROFILE_TIME, about->wall);
	if (about->timed)
		protobuf_number(&o->out, PROFILE_DURATION, about->now - about->began);
	put_period(o, p);
	if (o->output->codeless)
		protobuf_number(&o->out, PROFILE_COMMENT, string_number(o, PICTURE_CODELESS));
	for (size_t i = 0; i < o->strings.n; i++)
		protobuf_text(&o->out, PROFILE_STRING, o->strings.entries[i].key, o->strings.entries[i].len);
}

static bool put_gzipped(struct buf *out, const struct buf *in)
{
	enum { GZIP = 16 };		/* zlib: with the header and trailer of gzip */
	z_stream z = { .next_in = (Bytef *)in->data, .avail_in = (uInt)in->len };
	unsigned char chunk[16384];
	int r;

	if (in->failed || in->len > UINT32_MAX)
		return false;
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	do {
		z.next_out = chunk;
		z.avail_out = sizeof chunk;
		r = deflate(&z, Z_FINISH);
		buf_put(out, chunk, sizeof chunk - z.avail_out);
	} while (r == Z_OK);
	deflateEnd(&z);
	return r == Z_STREAM_END;
}

static void pprof_draw(struct output *o, const struct agg_table *tables, unsigned n)
{
	struct pprof_writer proto = { .output = o, .arena = o->arena };

	if (!picture_take(o, tables, n))
		return;
	picture_report_omitted(o);
	map_init(&proto.strings, proto.arena);
	map_init(&proto.objects, proto.arena);
	put_profile(&proto, picture_of(o));
	if (!put_gzipped(&o->buf, &proto.out))
		o->buf.failed = true;
	buf_free(&proto.out);
	buf_free(&proto.part);
	buf_free(&proto.inner);
}

/* A terminal would interpret control characters in these bytes. */
static void pprof_begin(struct output *o)
{
	picture_begin(o);
	if (!o->file || !isatty(fileno(o->file)))
		return;
	output_message(o, "refusing to write -O pprof to a terminal: use a file (-o)");
	o->failed = true;
}

const struct printer printer_pprof = {
	.pure = true,
	.begin = pprof_begin,
	.action = picture_action,
	.record_end = picture_record_end,
	.clear = picture_clear,
	.aggregations = pprof_draw,
	.probes = list_text_head,
	.probe = list_text_probe,
	.note = picture_note,
	.close = picture_close,
};
