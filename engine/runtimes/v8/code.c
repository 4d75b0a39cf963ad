/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/runtimes/v8/code.h"

#include <string.h>

#include "engine/runtimes/v8/lines.h"

enum { DEOPT_WORDS = 8 };
enum { POSITION_BITS = 0x3fffffff, INLINING_SHIFT = 31, INLINING_BITS = 0xffff };
enum { WEAK = 2 };			/* in a reference: the collector does not follow it */
/* Prefixes of bytecodes: operands are wider. */
enum { PREFIX_WIDE, PREFIX_EXTRA_WIDE, PREFIX_DEBUG_WIDE, PREFIX_DEBUG_EXTRA_WIDE };

/* Where a function was inlined (InliningPosition). */
struct inlining {
	uint64_t position;
	int32_t function;		/* -1: the code's own */
	int32_t unused;
};

/* What the table of a struct code consists of: at an offset begin `n` frames, innermost first. */
struct code_part {
	uint32_t offset, n;
	struct { uint32_t function, line; } frame[V8_CODE_FRAMES];
};

enum { PART_HEAD = offsetof(struct code_part, frame), PART_FRAME = 8 };

/* A description that is made. */
struct code_making {
	struct v8_code_text *text;
	const struct v8_compiled *c;
	struct v8_code_reader *r;
	uint32_t size;			/* of text->out */
	bool read;			/* the process's memory was read, which may have changed since */
	uint32_t nfunctions, ninlinings;
	uint32_t number[V8_INLINED];
	struct rt_v8_frame function[V8_INLINED];
	struct inlining inlining[V8_INLINED];
	struct code_part last;
};

static void part_put(struct code_making *k, const struct code_part *part)
{
	uint32_t n = PART_HEAD + part->n * PART_FRAME;

	if (k->size && part->n == k->last.n && !memcmp(part->frame, k->last.frame, part->n * PART_FRAME))
		return;
	if (k->size + n > V8_CODE_TABLE)
		return;
	memcpy(k->text->out + k->size, part, n);
	k->size += n;
	k->last = *part;
}

/* A table of the code, from its copy or as it is now. */
static struct v8_bytes table_read(struct code_making *k, unsigned which, uint8_t *out)
{
	struct rt_v8 *v = &k->r->v;
	const struct rt_v8_table *t = &v->table[which];
	const uint8_t *copy = k->c->tables[which].at;

	if (copy)
		return (struct v8_bytes){ copy, copy + k->c->tables[which].bytes, false };
	if (!t->bytes || t->bytes > V8_CODE_TABLE || !v->read(v->arg, t->at, out, t->bytes))
		return (struct v8_bytes){ out, out, false };
	k->read = true;
	return (struct v8_bytes){ out, out + t->bytes, false };
}

/* ---- optimised code ---- */
/* Adds a frame to a part. Returns false if there is no room. */
static bool frame_add(struct code_making *k, struct code_part *part, int32_t function, uint32_t position)
{
	bool own = function < 0;
	const struct rt_v8_frame *f = own ? &k->c->frame : &k->function[function];

	if (part->n == V8_CODE_FRAMES)
		return false;
	part->frame[part->n].function = own ? k->c->function : k->number[function];
	part->frame[part->n].line = position ? k->r->line(k->r->arg, f, position - 1) : 0;
	part->n++;
	return true;
}

/* The frames of a position, from the innermost inlined function to the code's own. Returns false if they are not known.
 * The numbers of inlinings decrease from the inside to the outside. */
static bool part_make(struct code_making *k, struct code_part *part, uint64_t position)
{
	uint32_t id = position >> INLINING_SHIFT & INLINING_BITS;

	part->n = 0;
	while (id) {
		const struct inlining *x = &k->inlining[id - 1];

		if (id > k->ninlinings || x->function >= (int32_t)k->nfunctions ||
		    (x->function >= 0 && !k->number[x->function]) ||
		    !frame_add(k, part, x->function, position >> 1 & POSITION_BITS))
			return false;
		position = x->position;
		if ((position >> INLINING_SHIFT & INLINING_BITS) >= id)
			return false;
		id = position >> INLINING_SHIFT & INLINING_BITS;
	}
	return frame_add(k, part, -1, position >> 1 & POSITION_BITS);
}

/* Reads which functions are inlined. */
static void inlined_read(struct code_making *k)
{
	struct rt_v8 *v = &k->r->v;
	uint64_t data = rt_v8_typed(v, k->c->code.bytecode, v->layout.array), word[DEOPT_WORDS], literals, n, reference;
	struct v8_bytes inlinings = table_read(k, RT_V8_POSITIONS, k->text->positions);

	k->ninlinings = (uint32_t)((inlinings.end - inlinings.at) / sizeof *k->inlining);
	if (k->ninlinings > V8_INLINED)
		k->ninlinings = V8_INLINED;
	memcpy(k->inlining, inlinings.at, k->ninlinings * sizeof *k->inlining);
	if (!k->ninlinings)
		return;
	k->read = true;
	if (!data || !v->read(v->arg, data + v->layout.array_data, word, sizeof word))
		return;
	n = word[RT_V8_DEOPT_FUNCTIONS] >> 32;
	literals = rt_v8_typed(v, word[RT_V8_DEOPT_LITERALS], v->layout.weak_array);
	if (!literals || n > V8_INLINED)
		return;
	k->nfunctions = (uint32_t)n;
	for (uint64_t i = 0; i < n; i++)
		if (v->read(v->arg, literals + v->layout.array_data + 8 * i, &reference, 8) &&
		    rt_v8_shared(v, reference & ~(uint64_t)WEAK)) {
			k->function[i] = v->frame;
			k->number[i] = k->r->number(k->r->arg, v);
		}
}

static void optimised_read(struct code_making *k)
{
	struct v8_bytes b = table_read(k, RT_V8_OFFSETS, k->text->table);
	int64_t offset = -1, position = 0;

	inlined_read(k);
	while (v8_take_position(&b, &offset, &position)) {
		struct code_part part = { .offset = (uint32_t)(offset < 0 ? 0 : offset) };

		if (!(position & 1) && part_make(k, &part, (uint64_t)position))
			part_put(k, &part);
		else if (part.n = 0, frame_add(k, &part, -1, 0))
			part_put(k, &part);
	}
}

/* ---- baseline code ---- */
/* The bytes of the instruction at the beginning of `left` bytes of bytecode; 0: it is none. */
static uint32_t bytecode_size(const struct v8_code_reader *r, const uint8_t *p, uint32_t left)
{
	uint32_t width = 0, prefix = 0;

	if (left && *p <= PREFIX_DEBUG_EXTRA_WIDE) {
		width = *p == PREFIX_WIDE || *p == PREFIX_DEBUG_WIDE ? 1 : 2;
		prefix = 1;
	}
	if (prefix >= left || p[prefix] >= r->nsizes)
		return 0;
	return prefix + r->sizes[width * r->nsizes + p[prefix]];
}

/* The line of an offset in bytecode, by its table: `n` bytes. Offsets must not decrease from call to call. */
struct bytecode_lines {
	struct v8_bytes b;
	int64_t offset, position, next_position;
	bool any;
};

static uint32_t lines_position(struct bytecode_lines *l, uint32_t offset)
{
	while (l->any && l->offset <= (int64_t)offset) {
		l->position = l->next_position;
		l->any = v8_take_position(&l->b, &l->offset, &l->next_position);
	}
	return l->position & 1 ? 0 : (uint32_t)(l->position >> 1 & POSITION_BITS);
}

/* The table has the size of the code that precedes the first instruction, then that of each instruction. */
static void baseline_read(struct code_making *k)
{
	struct v8_bytes b = table_read(k, RT_V8_OFFSETS, k->text->table);
	struct v8_bytes bytecode = table_read(k, RT_V8_BYTECODE, k->text->bytecode);
	struct bytecode_lines lines = { .b = table_read(k, RT_V8_POSITIONS, k->text->positions), .offset = -1 };
	uint32_t length = (uint32_t)(bytecode.end - bytecode.at), size;
	uint64_t pc;

	lines.any = v8_take_position(&lines.b, &lines.offset, &lines.next_position);
	pc = v8_take(&b);
	for (uint32_t offset = 0; !b.bad && pc < RT_V8_UNKNOWN; offset += size) {
		struct code_part part = { .offset = (uint32_t)pc };

		size = offset < length ? bytecode_size(k->r, bytecode.at + offset, length - offset) : 0;
		if (!size)
			return;
		if (frame_add(k, &part, -1, lines_position(&lines, offset)))
			part_put(k, &part);
		pc += v8_take(&b);
	}
}

/* ---- */
static uint32_t parts_find(const struct code *c, uint32_t offset, uint64_t *words, uint32_t max)
{
	struct code_part part, found = { .n = 0 };

	for (uint32_t at = 0; at + PART_HEAD <= c->size; at += PART_HEAD + part.n * PART_FRAME) {
		memcpy(&part, c->lines + at, PART_HEAD);
		if (part.offset > offset || part.n > V8_CODE_FRAMES || part.n * PART_FRAME > c->size - at - PART_HEAD)
			break;
		memcpy(part.frame, c->lines + at + PART_HEAD, part.n * PART_FRAME);
		found = part;
	}
	if (!found.n) {			/* before the first one */
		found.n = 1;
		found.frame[0].function = c->first;
		found.frame[0].line = 0;
	}
	for (uint32_t i = 0; i < found.n && i < max; i++)
		words[i] = codes_word(found.frame[i].function, found.frame[i].line ?
				      (uint32_t)CODES_LINE | found.frame[i].line : RT_V8_UNKNOWN);
	return found.n < max ? found.n : max;
}

/* True if what was read is still that of the code. */
static bool code_stays(const struct code_making *k)
{
	const struct v8_compiled *c = k->c;
	struct rt_v8 *v = &k->r->v;
	uint64_t table, bytecode;

	return !k->read ||
	       (rt_v8_typed(v, c->code.at + 1, v->layout.code) == c->code.at &&
		v->read(v->arg, c->code.at + v->layout.code_table, &table, 8) && table == c->code.table &&
		v->read(v->arg, c->code.at + v->layout.code_bytecode, &bytecode, 8) && bytecode == c->code.bytecode);
}

void v8_describe_code(struct code *out, struct v8_code_text *text, const struct v8_compiled *c,
		      struct v8_code_reader *r)
{
	struct code_making k = { .text = text, .c = c, .r = r };

	*out = (struct code){ .name = "", .file = "", .first = c->function, .lines = text->out, .inlined = parts_find };
	r->v.compiled = c->code;
	rt_v8_tables(&r->v);
	if (c->code.kind == RT_V8_BASELINE)
		baseline_read(&k);
	else
		optimised_read(&k);
	if (code_stays(&k))
		out->size = k.size;
}
