/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of CPython's functions, and their tables of lines. */
#include "engine/runtimes/python/python.h"

#include <string.h>

/* ---- strings ---- */
/* Appends a character to out[at]. Returns the new length, or `at` if it does not fit. */
static size_t put_utf8(char *out, size_t size, size_t at, uint32_t c)
{
	static const uint32_t limits[] = { 0x80, 0x800, 0x10000, 0x110000 };
	static const uint8_t heads[] = { 0, 0xc0, 0xe0, 0xf0 };
	unsigned more = 0;

	if (c > 0x10ffff || (c & 0x1ff800) == 0xd800 || !c)
		c = 0xfffd;	/* REPLACEMENT CHARACTER */
	while (c >= limits[more])
		more++;
	if (at + more + 1 >= size)
		return at;
	out[at] = (char)(heads[more] | c >> 6 * more);
	for (unsigned i = 1; i <= more; i++)
		out[at + i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
	return at + more + 1;
}

void python_utf8(char *out, size_t size, const void *chars, size_t n, unsigned kind)
{
	size_t at = 0, after;

	for (size_t i = 0; i < n; i++) {
		uint32_t c = 0;

		memcpy(&c, (const char *)chars + i * kind, kind);
		after = put_utf8(out, size, at, c);
		if (after == at)
			break;
		at = after;
	}
	out[at] = '\0';
}

/* Reads a str object. Long strings are truncated. */
static bool string_read(char *out, const struct rt_py_layout *l, uint64_t at, const struct jstack_memory *m)
{
	uint8_t chars[4 * PYTHON_NAME];
	uint64_t length;
	uint32_t state;
	unsigned kind;
	bool ascii;

	if (!m->read(m->arg, at + l->string_length, &length, sizeof length) ||
	    !m->read(m->arg, at + l->string_state, &state, sizeof state))
		return false;
	state >>= l->string_kind;
	kind = state & 7;
	ascii = state >> 4 & 1;
	if (!(state >> 3 & 1) || (kind != 1 && kind != 2 && kind != 4) || length > INT32_MAX)
		return false;
	length = length < PYTHON_NAME ? length : PYTHON_NAME - 1;
	if (!m->read(m->arg, at + (ascii ? l->string_ascii : l->string_wide), chars, length * kind))
		return false;
	python_utf8(out, PYTHON_NAME, chars, length, kind);
	return true;
}

/* ---- functions ---- */
static bool word_read(const struct jstack_memory *m, uint64_t at, uint64_t *out)
{
	return m->read(m->arg, at, out, sizeof *out);
}

/* Reads the table of lines, a bytes object. One that is too long is not used. */
static void lines_read(struct code *out, struct python_text *text, const struct rt_py_layout *l, uint64_t at,
		       const struct jstack_memory *m)
{
	uint64_t size;

	out->lines = text->lines;
	out->size = 0;
	if (word_read(m, at + l->bytes_size, &size) && size <= PYTHON_LINES &&
	    m->read(m->arg, at + l->bytes_data, text->lines, size))
		out->size = (uint32_t)size;
}

/* The interpreter's own functions, such as the one that calls __init__, have one string as name and file. */
bool python_code(struct code *out, struct python_text *text, const struct rt_py_layout *l, uint64_t code,
		 const struct jstack_memory *m)
{
	uint64_t name, file, lines;
	uint32_t first;

	*out = (struct code){ .name = text->name, .file = text->file, .line = python_line };
	if (!word_read(m, code + l->code_name, &name) || !word_read(m, code + l->code_file, &file) ||
	    !word_read(m, code + l->code_lines, &lines) ||
	    !m->read(m->arg, code + l->code_first, &first, sizeof first) || name == file)
		return false;
	out->first = first & INT32_MAX;
	if (!string_read(text->name, l, name, m) || !string_read(text->file, l, file, m))
		return false;
	lines_read(out, text, l, lines, m);
	return true;
}

uint32_t python_offset(const struct rt_py_layout *l, const struct rt_py_frame *f)
{
	uint64_t start = f->code + l->code_code, bytes = f->at - start;

	return f->at < start || bytes >= (uint64_t)INT32_MAX * 2 ? 0 : (uint32_t)(bytes / 2);
}

/* ---- lines ---- */
/*
 * The table of locations (CPython's Objects/locations.md): an entry's first byte has its top bit set, a kind in bits 3
 * to 6, and the number of its code units less one in bits 0 to 2.
 */
enum { LINE_ONE = 10, LINE_NO_COLUMNS = 13, LINE_LONG = 14, LINE_NONE = 15 };

/* A number in units of 6 bits, lowest first; bit 6: more follow. Then its lowest bit is its sign. */
static int64_t signed_varint(const uint8_t *p, const uint8_t *end)
{
	uint64_t v = 0;

	for (unsigned shift = 0; p < end && shift < 36; p++, shift += 6) {
		v |= (uint64_t)(*p & 0x3f) << shift;
		if (!(*p & 0x40))
			break;
	}
	return v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

static int64_t line_delta(const uint8_t *entry, const uint8_t *end)
{
	unsigned kind = *entry >> 3 & 15;

	if (kind == LINE_NO_COLUMNS || kind == LINE_LONG)
		return signed_varint(entry + 1, end);
	return kind >= LINE_ONE && kind < LINE_NO_COLUMNS ? kind - LINE_ONE : 0;
}

uint32_t python_line(const struct code *c, uint32_t offset)
{
	const uint8_t *p = c->lines, *end = p + c->size;
	int64_t line = c->first;
	uint64_t after = 0;

	while (p < end) {
		bool none = (*p >> 3 & 15) == LINE_NONE;

		line += line_delta(p, end);
		after += (*p & 7) + 1;
		if (offset < after)
			return none || line <= 0 || line > INT32_MAX ? 0 : (uint32_t)line;
		do
			p++;
		while (p < end && !(*p & 0x80));
	}
	return 0;
}
