/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The page of dtr diff: share/picture.html with rows that have two counts. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "engine/output/picture/picture.h"
#include "engine/output/summary/compare.h"

enum { DIGITS = 6 };

/* A path of both sides. Its frames are numbers in `texts`. */
struct compare_path {
	const char *key;		/* the thread's name */
	const uint32_t *frames;
	unsigned n, nuser;		/* all frames; those of the process, which come first */
	uint64_t count[COMPARE_SIDES];
};

struct compare_frame {
	const char *name, *object;	/* object NULL: none */
};

struct compare_graph {
	struct arena *arena;
	VEC(struct compare_path) paths;
	VEC(struct compare_frame) frames;
	struct map by_frames, numbers;
};

/* Addresses differ between two recordings, so those without a symbol are combined. */
static uint32_t frame_number(struct compare_graph *g, const struct picture_frame *f)
{
	const char *name = strncmp(f->name, "0x", 2) ? f->name : "[unknown]";
	const char *id = arena_printf(g->arena, "%s`%s", f->object ? f->object : "", name);
	void **slot = map_put(&g->numbers, id, strlen(id));

	if (!*slot) {
		*VEC_ADD(g->arena, &g->frames) = (struct compare_frame){
			arena_strdup(g->arena, name), f->object ? arena_strdup(g->arena, f->object) : NULL,
		};
		*slot = (void *)g->frames.n;
	}
	return (uint32_t)(size_t)*slot - 1;
}

static struct compare_path *path_of(struct compare_graph *g, const struct compare_path *p)
{
	struct buf id = { 0 };
	void **slot;

	buf_put(&id, &p->nuser, sizeof p->nuser);
	buf_put(&id, p->frames, p->n * sizeof *p->frames);
	buf_puts(&id, p->key);
	slot = id.failed ? NULL : map_put(&g->by_frames, id.data, id.len);
	buf_free(&id);
	if (!slot)
		return NULL;
	if (!*slot) {
		*VEC_ADD(g->arena, &g->paths) = *p;
		*slot = (void *)g->paths.n;
	}
	return &g->paths.v[(size_t)*slot - 1];
}

/* The frames of the kernel follow those of the process. */
static bool add_path(struct compare_graph *g, const struct picture *from, const struct picture_path *path,
		     enum compare_side side)
{
	uint32_t *frames = arena_calloc(g->arena, path->n + 1, sizeof *frames);
	struct compare_path p = { .key = from->frames.v[path->frames[0]].text, .frames = frames }, *to;

	for (unsigned i = path->nkeys; i < path->n; i++) {
		const struct picture_frame *f = &from->frames.v[path->frames[i]];

		p.nuser += f->user && p.nuser == p.n;
		frames[p.n++] = frame_number(g, f);
	}
	p.key = arena_strdup(g->arena, p.key);
	to = path_of(g, &p);
	if (to)
		to->count[side] += (uint64_t)path->value;
	return to;
}

static bool add_side(struct compare_graph *g, const struct output *o, enum compare_side side)
{
	const struct picture *p = picture_of(o);
	bool ok = true;

	for (size_t i = 0; i < p->aggs.n; i++)
		for (size_t k = 0; k < p->aggs.v[i].paths.n; k++)
			ok &= add_path(g, p, &p->aggs.v[i].paths.v[k], side);
	return ok;
}

static void put_numbers(struct buf *b, const uint32_t *v, unsigned n)
{
	json_open(b, '[');
	for (unsigned i = 0; i < n; i++)
		json_uint(b, v[i]);
	json_close(b, ']');
}

/* [[name, frames of the process, frames of the kernel], after, before] */
static void put_paths(struct buf *b, const struct compare_graph *g)
{
	json_name(b, "rows");
	json_open(b, '[');
	for (size_t i = 0; i < g->paths.n; i++) {
		const struct compare_path *p = &g->paths.v[i];

		json_open(b, '[');
		json_open(b, '[');
		json_text(b, p->key);
		put_numbers(b, p->frames, p->nuser);
		put_numbers(b, p->frames + p->nuser, p->n - p->nuser);
		json_close(b, ']');
		json_uint(b, p->count[COMPARE_AFTER]);
		json_uint(b, p->count[COMPARE_BEFORE]);
		json_close(b, ']');
	}
	json_close(b, ']');
}

static void put_graph(struct buf *b, const struct compare_graph *g)
{
	static const char *const keys[] = { "text", "ustack", "stack" };

	json_name(b, "aggs");
	json_open(b, '[');
	if (g->paths.n) {
		json_open(b, '{');
		json_member_text(b, "name", "@" SUMMARY_STACKS);
		json_member_text(b, "func", "count");
		json_name(b, "counts");
		json_bool(b, g->paths.n > 0);
		json_member_text(b, "unit", "samples");
		json_name(b, "keys");
		json_open(b, '[');
		for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
			json_text(b, keys[i]);
		json_close(b, ']');
		put_paths(b, g);
		json_close(b, '}');
	}
	json_close(b, ']');
	json_name(b, "frames");
	json_open(b, '[');
	for (size_t i = 0; i < g->frames.n; i++) {
		json_open(b, '[');
		json_text(b, g->frames.v[i].name);
		if (g->frames.v[i].object)
			json_text(b, g->frames.v[i].object);
		json_close(b, ']');
	}
	json_close(b, ']');
}

/* [name, count before, count after, change, its interval, corrected P value] */
static void put_row(struct buf *b, const struct compare_row *r)
{
	json_open(b, '[');
	json_text(b, r->name);
	json_uint(b, r->count[COMPARE_BEFORE]);
	json_uint(b, r->count[COMPARE_AFTER]);
	json_float(b, r->change, DIGITS);
	json_float(b, r->interval.low, DIGITS);
	json_float(b, r->interval.high, DIGITS);
	json_float(b, r->corrected, DIGITS);
	json_close(b, ']');
}

static void put_comparison(struct buf *b, const struct comparison *c)
{
	static const char *const names[] = { [COMPARE_BEFORE] = "before", [COMPARE_AFTER] = "after" };

	json_name(b, "compare");
	json_open(b, '{');
	for (int i = 0; i < COMPARE_SIDES; i++) {
		json_name(b, names[i]);
		json_open(b, '{');
		summary_facts(b, c->side[i]);
		json_close(b, '}');
	}
	json_member_uint(b, "changed", c->changed);
	json_name(b, "rows");
	json_open(b, '[');
	for (size_t i = 0; i < c->rows.n; i++)
		put_row(b, &c->rows.v[i]);
	json_close(b, ']');
	json_close(b, '}');
}

void compare_page(struct output *o, const struct comparison *c, const struct output *const side[COMPARE_SIDES])
{
	struct compare_graph g = { .arena = o->arena };
	struct buf json = { 0 };

	map_init(&g.by_frames, o->arena);
	map_init(&g.numbers, o->arena);
	for (int i = 0; i < COMPARE_SIDES; i++)
		json.failed |= !add_side(&g, side[i], (enum compare_side)i);
	json_open(&json, '{');
	put_comparison(&json, c);
	put_graph(&json, &g);
	json_close(&json, '}');
	picture_page_write(o, &json);
	buf_free(&json);
}
