/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/profile.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/json.h"

enum { MOST = 4096 };

struct slice {
	const uint8_t *p, *end;
};

struct profile_field {
	unsigned number, wire;
	uint64_t v;		/* wire 0 */
	struct slice s;		/* wire 2 */
};

struct thing {			/* a mapping, a location or a function */
	uint64_t id, a, b;
};

struct profile {
	struct slice strings[MOST];
	struct thing mappings[MOST], locations[MOST], functions[MOST];
	unsigned nstrings, nmappings, nlocations, nfunctions, ntypes;
	const char *why;
};

static uint64_t varint(struct slice *s, const char **why)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && s->p < s->end; shift += 7) {
		uint8_t c = *s->p++;

		v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return v;
	}
	*why = "a number without an end";
	s->p = s->end;
	return 0;
}

/* False at the end, and behind what is wrong. */
static bool next(struct slice *s, struct profile_field *f, const char **why)
{
	uint64_t tag;

	if (*why || s->p == s->end)
		return false;
	tag = varint(s, why);
	*f = (struct profile_field){ .number = (unsigned)(tag >> 3), .wire = tag & 7 };
	f->v = varint(s, why);
	if (f->wire == 2) {
		if (f->v > (uint64_t)(s->end - s->p))
			*why = "a field that is longer than what it is in";
		else
			f->s = (struct slice){ s->p, s->p + f->v };
		s->p += *why ? 0 : f->v;
	} else if (f->wire != 0) {
		*why = "a field of an unknown kind";
	}
	return !*why;
}

static void put_string(struct buf *out, struct profile *p, uint64_t i)
{
	if (i >= p->nstrings)
		p->why = "a string that does not exist";
	else
		buf_put(out, p->strings[i].p, (size_t)(p->strings[i].end - p->strings[i].p));
}

static const struct thing *find(struct profile *p, const struct thing *v, unsigned n, uint64_t id)
{
	for (unsigned i = 0; i < n; i++)
		if (v[i].id == id)
			return &v[i];
	p->why = "an ID that does not exist";
	return NULL;
}

/* One thing with its ID in field 1, and two others. */
static struct thing thing(struct profile *p, struct slice s, unsigned a, unsigned b)
{
	struct thing t = { 0 };
	struct profile_field f;

	while (next(&s, &f, &p->why)) {
		t.id = f.number == 1 ? f.v : t.id;
		if (f.number == a)
			t.a = f.v;
		if (f.number == b && f.wire == 0)
			t.b = f.v;
		if (f.number == b && f.wire == 2) {	/* a line: the function is its field 1 */
			struct slice line = f.s;

			while (next(&line, &f, &p->why))
				t.b = f.number == 1 ? f.v : t.b;
		}
	}
	if (!t.id)
		p->why = "something without an ID";
	return t;
}

static void check_text(struct profile *p, struct slice s)
{
	for (size_t len; s.p < s.end; s.p += len) {
		len = json_utf8_length(s.p, (size_t)(s.end - s.p));
		if (len)
			continue;
		p->why = "a string that is not UTF-8";
		return;
	}
}

/* First all that others point to. */
static void collect(struct profile *p, struct slice s)
{
	struct profile_field f;

	while (next(&s, &f, &p->why)) {
		if (p->nstrings == MOST || p->nmappings == MOST || p->nlocations == MOST || p->nfunctions == MOST) {
			p->why = "more than this reader takes";
			return;
		}
		if (f.number == 6)
			p->strings[p->nstrings++] = f.s;
		else if (f.number == 3)
			p->mappings[p->nmappings++] = thing(p, f.s, 5, 7);
		else if (f.number == 4)
			p->locations[p->nlocations++] = thing(p, f.s, 2, 4);
		else if (f.number == 5)
			p->functions[p->nfunctions++] = thing(p, f.s, 2, 4);
		else if (f.number == 1)
			p->ntypes++;
	}
	if (!p->why && (!p->nstrings || p->strings[0].p != p->strings[0].end))
		p->why = "the first string is not empty";
	for (size_t i = 0; i < p->nstrings; i++)
		check_text(p, p->strings[i]);
}

static void put_type(struct buf *out, struct profile *p, struct slice s)
{
	uint64_t type = 0, unit = 0;
	struct profile_field f;

	while (next(&s, &f, &p->why)) {
		type = f.number == 1 ? f.v : type;
		unit = f.number == 2 ? f.v : unit;
	}
	buf_puts(out, "type ");
	put_string(out, p, type);
	buf_putc(out, ' ');
	put_string(out, p, unit);
	buf_putc(out, '\n');
}

static void put_default(struct buf *out, struct profile *p, uint64_t type)
{
	buf_puts(out, "default ");
	put_string(out, p, type);
	buf_putc(out, '\n');
}

/* What readers take for the main program. */
static void put_main(struct buf *out, struct profile *p)
{
	if (!p->nmappings)
		return;
	buf_puts(out, "main ");
	put_string(out, p, p->mappings[0].a);
	buf_putc(out, '\n');
}

static void put_frame(struct buf *out, struct profile *p, uint64_t id)
{
	const struct thing *l = find(p, p->locations, p->nlocations, id), *f, *m;

	f = l ? find(p, p->functions, p->nfunctions, l->b) : NULL;
	if (!f)
		return;
	put_string(out, p, f->a);
	if (!l->a)
		return;
	m = find(p, p->mappings, p->nmappings, l->a);
	buf_putc(out, '@');
	if (m)
		put_string(out, p, m->a);
	if (m && m->a != f->b)
		p->why = "a function that is not in the mapping of its location";
}

static void put_label(struct buf *out, struct profile *p, struct slice s)
{
	struct profile_field f;

	while (next(&s, &f, &p->why)) {
		buf_puts(out, f.number == 1 ? " " : "=");
		put_string(out, p, f.v);
	}
}

static void put_sample(struct buf *out, struct profile *p, struct slice s)
{
	struct slice whole = s, list;
	unsigned n = 0, values = 0;
	uint64_t ids[1024];
	struct profile_field f;

	while (next(&s, &f, &p->why))
		for (list = f.s; f.number == 1 && list.p < list.end && n < 1024;)
			ids[n++] = varint(&list, &p->why);
	while (n-- > 0) {
		put_frame(out, p, ids[n]);
		buf_puts(out, n ? ";" : "");
	}
	for (s = whole; next(&s, &f, &p->why);)
		for (list = f.s; f.number == 2 && list.p < list.end; values++)
			buf_printf(out, " %" PRId64, (int64_t)varint(&list, &p->why));
	for (s = whole; next(&s, &f, &p->why);)
		if (f.number == 3)
			put_label(out, p, f.s);
	buf_putc(out, '\n');
	if (values != p->ntypes && !p->why)
		p->why = "a sample with another number of values than there are types";
}

static const char *unpack(struct buf *out, const void *gz, size_t size)
{
	z_stream z = { .next_in = (Bytef *)gz, .avail_in = (uInt)size };
	unsigned char chunk[4096];
	int r = inflateInit2(&z, MAX_WBITS + 16);

	while (r == Z_OK) {
		z.next_out = chunk;
		z.avail_out = sizeof chunk;
		r = inflate(&z, Z_NO_FLUSH);
		buf_put(out, chunk, sizeof chunk - z.avail_out);
	}
	inflateEnd(&z);
	return r != Z_STREAM_END || z.avail_in ? "it is not one piece of gzip" : NULL;
}

const char *profile_show(struct buf *out, const void *gz, size_t size)
{
	struct profile *p = calloc(1, sizeof *p);
	struct buf raw = { 0 };
	const char *why = p ? unpack(&raw, gz, size) : "no memory";
	struct slice all, s;
	struct profile_field f;

	if (!why) {
		all = s = (struct slice){ (const uint8_t *)buf_str(&raw), (const uint8_t *)buf_str(&raw) + raw.len };
		collect(p, all);
		while (next(&s, &f, &p->why)) {
			if (f.number == 1)
				put_type(out, p, f.s);
			else if (f.number == 2)
				put_sample(out, p, f.s);
			else if (f.number == 14)
				put_default(out, p, f.v);
			else if (f.number == 9 || f.number == 10 || f.number == 12)
				buf_printf(out, "%s %" PRIu64 "\n", f.number == 9 ? "time" : f.number == 10 ? "duration"
					   : "period", f.v);
		}
		put_main(out, p);
		why = p->why;
	}
	buf_free(&raw);
	free(p);
	return why;
}
