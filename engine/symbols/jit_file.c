/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/jit_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void jit_reader_close(struct jit_reader *r)
{
	free(r->buffer);
	*r = (struct jit_reader){ .fd = -1 };
}

/* Fills the buffer from an offset on. */
static void reader_fill(struct jit_reader *r, uint64_t off)
{
	ssize_t got;

	r->n = 0;
	if (!r->buffer)
		r->buffer = malloc(JIT_BUFFER);
	r->nomem |= !r->buffer;
	if (!r->buffer)
		return;
	do {
		got = pread(r->fd, r->buffer, JIT_BUFFER, (off_t)off);
	} while (got < 0 && errno == EINTR);
	r->mem = r->buffer;
	r->at = off;
	r->n = got > 0 ? (size_t)got : 0;
}

const uint8_t *jit_reader_at(struct jit_reader *r, uint64_t off, size_t n)
{
	if (n > JIT_BUFFER || off > r->size || n > r->size - off)
		return NULL;
	if (!n)
		return (const uint8_t *)"";
	if (r->fd >= 0 && (off < r->at || off - r->at > r->n || n > r->n - (off - r->at)))
		reader_fill(r, off);
	if (off < r->at || off - r->at > r->n || n > r->n - (off - r->at))
		return NULL;
	return r->mem + (off - r->at);
}

/* ---- perf-PID.map ---- */
enum { LINE_MAX_BYTES = 8192 };		/* of a longer line, the rest is ignored */

/* A hexadecimal number and the blank after it. Returns the bytes used; 0: there is none. */
static size_t hex_read(const char *s, size_t n, uint64_t *out)
{
	size_t i = n > 2 && s[0] == '0' && (s[1] | 32) == 'x' ? 2 : 0, first = i;

	for (*out = 0; i < n && i - first <= 16; i++) {
		int c = s[i] | 32, digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (digit < 0)
			break;
		*out = *out << 4 | (uint64_t)digit;
	}
	if (i == first || i - first > 16 || i == n || (s[i] != ' ' && s[i] != '\t'))
		return 0;
	return i + 1;
}

static void line_read(struct jit_codes *c, const char *s, size_t n)
{
	struct jit_range r = { .since = 0 };
	size_t used = hex_read(s, n, &r.start), more;

	if (!used)
		return;
	more = hex_read(s + used, n - used, &r.size);
	used += more;
	while (n > used && (s[n - 1] == '\r' || s[n - 1] == ' '))
		n--;
	if (more && n > used)
		jit_codes_add(c, &r, s + used, n - used);
}

/* The length of the line at `off` with its end, at most LINE_MAX_BYTES; *whole: its end is part of it. */
static const char *line_at(struct jit_reader *r, uint64_t off, size_t *n, bool *whole)
{
	size_t room = r->size - off < LINE_MAX_BYTES ? (size_t)(r->size - off) : LINE_MAX_BYTES;
	const char *s = (const char *)jit_reader_at(r, off, room), *end;

	if (!s || !room)
		return NULL;
	end = memchr(s, '\n', room);
	*whole = end;
	*n = end ? (size_t)(end - s) + 1 : room;
	return s;
}

uint64_t jit_map_read(struct jit_codes *c, struct jit_reader *r, uint64_t off, bool last)
{
	bool whole, within = false;	/* within: in the rest of a line that is too long */
	const char *s;
	size_t n;

	while (off < r->size && !c->full && (s = line_at(r, off, &n, &whole))) {
		if (!whole && n < LINE_MAX_BYTES && !last)
			break;
		if (!within)
			line_read(c, s, n - whole);
		within = !whole;
		off += n;
	}
	return off;
}

/* ---- jitdump ---- */
enum { DUMP_MAGIC = 0x4a695444, DUMP_VERSION = 1, DUMP_TSC = 1 };
enum { DUMP_LOAD = 0, DUMP_MOVE = 1, DUMP_CLOSE = 3 };

struct jit_dump_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct jit_dump_record {
	uint32_t id, size;
	uint64_t time;
};

struct jit_dump_load {
	struct jit_dump_record r;
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
	/* followed by the name, its NUL and the code */
};

struct jit_dump_move {
	struct jit_dump_record r;
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

/* Returns the offset of the first record; 0: the header is not complete yet; UINT64_MAX: not a valid file. *timed:
 * times are those of CLOCK_MONOTONIC. */
static uint64_t dump_begin(struct jit_reader *r, bool *timed)
{
	const uint8_t *p = jit_reader_at(r, 0, sizeof(struct jit_dump_header));
	struct jit_dump_header h;

	if (!p)
		return 0;
	memcpy(&h, p, sizeof h);
	*timed = !(h.flags & DUMP_TSC);
	if (h.magic != DUMP_MAGIC || h.version != DUMP_VERSION || h.size < sizeof h || h.size > JIT_BUFFER)
		return UINT64_MAX;
	return h.size;
}

static void load_read(struct jit_codes *c, struct jit_reader *r, uint64_t off, uint64_t size, bool timed)
{
	struct jit_dump_load x;
	const uint8_t *p;
	size_t rest;

	if (size <= sizeof x)
		return;
	rest = size - sizeof x < JIT_NAME_MAX + 1 ? (size_t)(size - sizeof x) : JIT_NAME_MAX + 1;
	p = jit_reader_at(r, off, sizeof x + rest);
	if (!p)
		return;
	memcpy(&x, p, sizeof x);
	jit_codes_add(c, &(struct jit_range){ x.addr, x.size, timed ? x.r.time : 0 }, (const char *)p + sizeof x, rest);
}

static void move_read(struct jit_codes *c, struct jit_reader *r, uint64_t off, uint64_t size, bool timed)
{
	struct jit_dump_move x;
	const uint8_t *p = size >= sizeof x ? jit_reader_at(r, off, sizeof x) : NULL;

	if (!p)
		return;
	memcpy(&x, p, sizeof x);
	jit_codes_move(c, x.from, x.to, x.size, timed ? x.r.time : 0);
}

uint64_t jit_dump_read(struct jit_codes *c, struct jit_reader *r, uint64_t off)
{
	struct jit_dump_record x;
	uint64_t first;
	const uint8_t *p;
	bool timed;

	if (off == UINT64_MAX)
		return off;
	first = dump_begin(r, &timed);
	if (!first || first == UINT64_MAX)
		return first;
	off = off ? off : first;
	while (!c->full && (p = jit_reader_at(r, off, sizeof x))) {
		memcpy(&x, p, sizeof x);
		if (x.size < sizeof x || x.id == DUMP_CLOSE)
			return UINT64_MAX;
		if (x.size > r->size - off)
			break;
		if (x.id == DUMP_LOAD)
			load_read(c, r, off, x.size, timed);
		else if (x.id == DUMP_MOVE)
			move_read(c, r, off, x.size, timed);
		off += x.size;
	}
	return off;
}
