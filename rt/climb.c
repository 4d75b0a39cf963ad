/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "rt/climb.h"

#include "rt/word.h"

struct climb_state {
	struct climb *c;
	const struct climb_layout *layout;
	char *text;
	uint64_t cap;
#ifndef __bpf__
	const struct climb_reader *reader;
#endif
};

#ifdef __bpf__
#define CLIMB_READ(s, dst, n, from) bpf_probe_read_kernel(dst, (uint32_t)(n), (const void *)(from))
#else
#define CLIMB_READ(s, dst, n, from) (s)->reader->read((s)->reader->arg, dst, (uint32_t)(n), from)
#endif

static inline long climb_end(struct climb *c, enum climb_end why)
{
	c->ended = why;
	return 1;
}

/* A word of what was read last. */
static inline uint64_t climb_word(const struct climb *c, uint64_t off)
{
	return *(const uint64_t *)(c->at + (off & (CLIMB_SPAN - 8)));
}

/* From the root of a mount to its mount point. */
static inline long climb_mount(struct climb_state *s)
{
	struct climb *c = s->c;
	uint64_t above;

	if (CLIMB_READ(s, c->at, CLIMB_SPAN, c->mount + s->layout->mount))
		return climb_end(c, CLIMB_FAILED);
	above = climb_word(c, s->layout->above);
	if (above == c->mount)
		return climb_end(c, CLIMB_ROOT);
	c->mount = above;
	c->dentry = climb_word(c, s->layout->point);
	if (CLIMB_READ(s, &c->top, sizeof c->top, above + s->layout->top))
		return climb_end(c, CLIMB_FAILED);
	return 0;
}

static long climb_step(uint64_t i, void *state)
{
	struct climb_state *s = state;
	struct climb *c = s->c;
	struct climb_name *name;
	uint64_t parent;

	(void)i;
	if (c->dentry == c->root_dentry && c->mount == c->root_mount)
		return climb_end(c, CLIMB_ROOT);
	if (c->dentry == c->top)
		return climb_mount(s);
	if (CLIMB_READ(s, c->at, CLIMB_SPAN, c->dentry + s->layout->dentry))
		return climb_end(c, CLIMB_FAILED);
	parent = climb_word(c, s->layout->parent);
	name = &c->name[c->n & (CLIMB_STEPS - 1)];
	name->addr = climb_word(c, s->layout->name);
	name->len = *(const uint32_t *)(c->at + (s->layout->length & (CLIMB_SPAN - 4)));
	c->n++;
	if (c->dentry != parent) {
		c->dentry = parent;
		return 0;
	}
	if (name->len != 1)
		return climb_end(c, CLIMB_LOOSE);
	name->len = 0;	/* "/": of a file system, outside of its mount */
	return climb_end(c, CLIMB_ROOT);
}

/* Writes a slash and the name number n - 1 - i. */
static long climb_put(uint64_t i, void *state)
{
	struct climb_state *s = state;
	struct climb *c = s->c;
	const struct climb_name *name = &c->name[(c->n - 1 - i) & (CLIMB_STEPS - 1)];
	uint64_t off = c->off, len = name->len;

	if (i >= c->n || off >= s->cap)
		return 1;
	if (!len)
		return 0;
	if (len > CLIMB_NAME || len > s->cap)
		return climb_end(c, CLIMB_FAILED);
	off = rt_bound(off);
	RT_OPAQUE(len);
	len &= CLIMB_NAME;
	s->text[off] = '/';
	if (CLIMB_READ(s, s->text + off + 1, len, name->addr))
		return climb_end(c, CLIMB_FAILED);
	c->off = off + 1 + len;
	return 0;
}

uint64_t rt_climb(char *text, struct climb *c, const struct climb_layout *layout, uint64_t cap CLIMB_READER)
{
	struct climb_state s = { c, layout, text, cap,
#ifndef __bpf__
		reader
#endif
	};

	c->n = c->off = 0;
	c->ended = CLIMB_LONG;
	rt_loop(CLIMB_STEPS, climb_step, &s);
	if (c->ended == CLIMB_LONG) {
		text[0] = text[1] = text[2] = '.';
		c->off = 3;
	}
	if (c->ended != CLIMB_FAILED)
		rt_loop(CLIMB_STEPS, climb_put, &s);
	if (c->ended == CLIMB_FAILED)
		return 1;
	if (!c->off && c->ended == CLIMB_LOOSE) {
		rt_store(text, 0x6e776f6e6b6e753cull);	/* "<unknown" */
		text[8] = '>';
	} else if (!c->off) {
		text[0] = '/';
	}
	return 0;
}
