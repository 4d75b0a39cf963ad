/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/runtimes/v8/lines.h"

#include <stdlib.h>
#include <string.h>

#include "engine/runtimes/memory.h"
#include "engine/runtimes/python/python.h"

enum { CHUNK = 1 << 14, MAX_SOURCE = 1 << 25, MAX_LINES = 1 << 24 };

void v8_scripts_close(struct v8_scripts *s)
{
	for (unsigned i = 0; i < V8_SCRIPTS; i++)
		free(s->v[i].end);
	*s = (struct v8_scripts){ 0 };
}

/* ---- scripts ---- */
static bool line_add(struct v8_script *s, uint32_t at)
{
	uint32_t *v = s->end;

	if (s->n >= MAX_LINES)
		return false;
	if (!(s->n & (s->n - 1)))
		v = reallocarray(s->end, s->n ? 2 * (size_t)s->n : 1, sizeof *v);
	if (!v)
		return false;
	s->end = v;
	s->end[s->n++] = at;
	return true;
}

/* The text of a script: in this process, or where it is read. */
struct v8_source {
	const uint8_t *copy;		/* NULL: read it */
	uint64_t at, n;			/* address, characters */
	uint32_t kind;			/* bytes of a character */
};

/* A line ends with LF, CR, CR LF, U+2028 or U+2029. */
static bool source_lines(struct v8_script *s, const struct v8_source *text, const struct jstack_memory *m)
{
	uint8_t chunk[CHUNK];
	uint32_t last = 0, c, kind = text->kind, each = CHUNK / kind;

	for (uint64_t at = 0; at < text->n; at++) {
		uint64_t in = at % each, left = text->n - at;
		const uint8_t *p = (text->copy ? text->copy + (at - in) * kind : chunk) + in * kind;

		if (!in && !text->copy &&
		    !m->read(m->arg, text->at + at * kind, chunk, kind * (left < each ? left : each)))
			return false;
		c = kind == 1 ? p[0] : (uint32_t)p[0] | (uint32_t)p[1] << 8;
		if (c == '\n' && last == '\r')
			s->end[s->n - 1] = (uint32_t)at;
		else if ((c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029) && !line_add(s, (uint32_t)at))
			return false;
		last = c;
	}
	return true;
}

/* True if the text that was just read is still that of the script, so that it was all the time. */
static bool source_stays(const struct rt_v8_function *f, struct rt_v8 *v)
{
	uint64_t id, text;

	return v->read(v->arg, f->frame.script + v->layout.script_id, &id, 8) &&
	       id == (uint64_t)(uint32_t)f->frame.ids << 32 &&
	       v->read(v->arg, f->frame.script + v->layout.script_source, &text, 8) &&
	       rt_v8_string(v, text) == f->kind && v->from == f->source && v->length == f->length;
}

static struct v8_script *script_slot(struct v8_scripts *s, int64_t pid, const struct rt_v8_frame *f)
{
	return &s->v[(f->script / 8 ^ (uint64_t)pid) % V8_SCRIPTS];
}

/* The lines of a function's script; NULL: it cannot be read, or another text is there now. */
static const struct v8_script *script_of(struct v8_scripts *s, int64_t pid, const struct rt_v8_function *f,
					 const struct v8_copy *copy, struct rt_v8 *v)
{
	const struct jstack_memory m = { v->read, v->arg };
	struct v8_script *x = script_slot(s, pid, &f->frame);
	const struct v8_source text = { copy->source, f->source, f->length, f->kind };

	if (x->pid == pid && x->at == f->frame.script && x->id == (uint32_t)f->frame.ids)
		return x;
	free(x->end);
	*x = (struct v8_script){ .at = f->frame.script, .id = (uint32_t)f->frame.ids };
	if ((f->kind != 1 && f->kind != 2) || f->length > MAX_SOURCE || !source_lines(x, &text, &m) ||
	    (!copy->source && !source_stays(f, v)))
		return NULL;
	x->pid = pid;
	return x;
}

/* The number of the line with a position; the first one has number 1. */
static uint32_t script_line(const struct v8_script *s, uint32_t position)
{
	uint32_t low = 0, high = s->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->end[middle] < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low + 1;
}

/* ---- positions ---- */
uint64_t v8_take(struct v8_bytes *b)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t c;

	do {
		b->bad |= b->at >= b->end || shift >= 63;
		if (b->bad)
			return 0;
		c = *b->at++;
		v |= (uint64_t)(c & 0x7f) << shift;
		shift += 7;
	} while (c & 0x80);
	return v;
}

int64_t v8_take_signed(struct v8_bytes *b)
{
	uint64_t v = v8_take(b);

	return v & 1 ? -(int64_t)(v >> 1) - 1 : (int64_t)(v >> 1);
}

/* The offset less that of the entry before, or if the entry is no statement the complement of that; the position. */
bool v8_take_position(struct v8_bytes *b, int64_t *offset, int64_t *position)
{
	int64_t by;

	if (b->at >= b->end)
		return false;
	by = v8_take_signed(b);
	*offset += by >= 0 ? by : -(by + 1);
	*position = (int64_t)((uint64_t)*position + (uint64_t)v8_take_signed(b));
	return !b->bad && *offset >= -1 && *offset < RT_V8_UNKNOWN;
}

/* An entry of the table of lines: a line begins at an offset. */
struct line_entry {
	uint32_t offset, line;
};

static void line_put(struct v8_function_text *text, uint32_t *size, struct line_entry e)
{
	struct line_entry last;

	if (*size) {
		memcpy(&last, text->lines + *size - sizeof last, sizeof last);
		if (last.line == e.line)
			return;
	}
	if (*size + sizeof e > V8_LINES)
		return;
	memcpy(text->lines + *size, &e, sizeof e);
	*size += (uint32_t)sizeof e;
}

static uint32_t positions_take(struct v8_function_text *text, const struct v8_script *s, const uint8_t *table,
			       uint32_t bytes)
{
	struct v8_bytes b = { table, table + bytes, false };
	int64_t offset = -1, position = 0;
	uint32_t size = 0;

	while (v8_take_position(&b, &offset, &position))
		if (!(position & 1) && position >> 1 & 0x3fffffff)
			line_put(text, &size, (struct line_entry){ (uint32_t)(offset < 0 ? 0 : offset),
				 script_line(s, (uint32_t)(position >> 1 & 0x3fffffff) - 1) });
	return size;
}

uint32_t v8_position_line(struct v8_scripts *s, int64_t pid, const struct rt_v8_frame *f, uint32_t position)
{
	const struct v8_script *x = script_slot(s, pid, f);

	return x->pid == pid && x->at == f->script && x->id == (uint32_t)f->ids ? script_line(x, position) : 0;
}

uint32_t v8_line(const struct code *c, uint32_t offset)
{
	uint32_t low = 0, high = c->size / sizeof(struct line_entry);
	struct line_entry e = { 0 };

	if (offset == RT_V8_UNKNOWN)
		return 0;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		memcpy(&e, c->lines + middle * sizeof e, sizeof e);
		if (e.offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	memcpy(&e, c->lines + (low - 1) * sizeof e, sizeof e);
	return e.line;
}

/* ---- functions ---- */
static void text_take(char *out, const struct rt_v8_function *f, unsigned which)
{
	const struct rt_v8_text *t = &f->text[which];

	*out = '\0';
	if ((t->kind == 1 || t->kind == 2) && t->n <= RT_V8_TEXT / t->kind)
		python_utf8(out, V8_NAME, f->chars + which * RT_V8_TEXT, t->n, t->kind);
}

void v8_describe(struct code *out, struct v8_function_text *text, const struct rt_v8_function *f,
		 const struct v8_copy *copy, struct v8_scripts *s, int64_t pid, struct rt_v8 *v)
{
	const struct v8_script *script = script_of(s, pid, f, copy, v);

	*out = (struct code){ .name = text->name, .file = text->file, .lines = text->lines, .line = v8_line };
	text_take(text->name, f, RT_V8_NAME);
	text_take(text->file, f, RT_V8_FILE);
	if (!*text->name)
		strcpy(text->name, "<anonymous>");
	if (!*text->file)
		strcpy(text->file, "<anonymous>");	/* text that is compiled while it runs */
	if (!script)
		return;
	out->first = script_line(script, f->start);
	out->size = positions_take(text, script, copy->table, f->bytes);
}
