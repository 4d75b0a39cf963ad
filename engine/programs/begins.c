/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/begins.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/symbols/elf.h"

enum { STEPS_MAX = 4096 };		/* instructions from one beginning to the next */

/* ---- lines ---- */

/* The run that contains an instruction, or NULL. */
static const struct line_run *run_at(const struct line_code *c, uint64_t off)
{
	size_t lo = 0, hi = c->run.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->run.v[mid].start <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && off < c->run.v[lo - 1].end ? &c->run.v[lo - 1] : NULL;
}

static bool same_line(const struct line_run *a, const struct line_run *b)
{
	return a && b && a->line == b->line && a->file == b->file && a->copy == b->copy;
}

static bool has_row(const struct line_code *c, const struct line_run *r, uint64_t off)
{
	for (size_t i = 0; i < r->nrows; i++)
		if (c->row.v[r->row + i] == off)
			return true;
	return false;
}

static void begin_add(struct line_code *c, struct arena *a, size_t run, uint64_t off)
{
	for (size_t i = 0; i < c->begin.n; i++)
		if (c->begin.v[i].off == off && c->begin.v[i].run == run)
			return;
	*VEC_ADD(a, &c->begin) = (struct line_begin){ .off = off, .run = run };
}

/* Where jumps enter the middle of a run. */
static void add_entered(struct line_code *c, struct arena *a, const struct flows *x)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct flow *f = &x->v[i];
		const struct line_run *from, *to;

		if (f->kind != FLOW_JUMP && f->kind != FLOW_BRANCH)
			continue;
		from = run_at(c, f->off);
		to = run_at(c, f->target);
		if (!to || f->target == to->start)
			continue;
		if (!same_line(from, to) || (from == to && f->target < f->off && has_row(c, to, f->target)))
			begin_add(c, a, (size_t)(to - c->run.v), f->target);
	}
}

static const struct line_begin *begin_at(const struct line_code *c, const struct line_run *of, uint64_t off)
{
	for (size_t i = 0; i < c->begin.n; i++)
		if (c->begin.v[i].off == off && same_line(&c->run.v[c->begin.v[i].run], of))
			return &c->begin.v[i];
	return NULL;
}

/* True if control can only go on to another beginning of the same line. */
static bool leads_to_other(const struct line_code *c, const struct line_begin *b, const struct flows *x)
{
	const struct line_run *of = &c->run.v[b->run];
	uint64_t at = b->off;

	for (unsigned i = 0; i < STEPS_MAX; i++) {
		const struct flow *f = flows_at(x, at);

		if (!f || !same_line(run_at(c, at), of) || (i && at == b->off))
			return false;
		if (i && begin_at(c, of, at))
			return true;
		if (f->kind == FLOW_NEXT)
			at += f->size;
		else if (f->kind == FLOW_JUMP)
			at = f->target;
		else
			return false;
	}
	return false;
}

/* True if the line does nothing there except jumping to another one. */
static bool only_jumps(const struct line_code *c, const struct line_begin *b, const struct flows *x)
{
	const struct flow *f = flows_at(x, b->off);

	return f && f->kind == FLOW_JUMP && !same_line(run_at(c, f->target), &c->run.v[b->run]);
}

/* True if the line has another run before in the same basic block. */
static bool continues_block(const struct line_code *c, const struct line_begin *b, const struct flows *x)
{
	const struct line_run *of = &c->run.v[b->run];
	const struct flow *f = flows_at(x, b->off);

	if (b->off != of->start)
		return false;
	for (; f && !f->leader; f--)
		if (f->off != b->off && same_line(run_at(c, f->off), of))
			return true;
	return f && f->off != b->off && same_line(run_at(c, f->off), of);
}

/* True if the line also begins at a place that does not only jump. */
static bool begins_elsewhere(const struct line_code *c, const struct line_begin *b, const struct flows *x)
{
	const struct line_run *of = &c->run.v[b->run];

	for (size_t i = 0; i < c->begin.n; i++)
		if (same_line(&c->run.v[c->begin.v[i].run], of) && !only_jumps(c, &c->begin.v[i], x))
			return true;
	return false;
}

static bool is_passage(const struct line_code *c, const struct line_begin *b, const struct flows *x)
{
	return only_jumps(c, b, x) && begins_elsewhere(c, b, x);
}

static bool is_part(const struct line_code *c, const struct line_begin *b, const struct flows *x)
{
	return leads_to_other(c, b, x) || continues_block(c, b, x);
}

/* Removes what is not a beginning of its own. */
static void remove_if(struct line_code *c, const struct flows *x,
		      bool (*is)(const struct line_code *c, const struct line_begin *b, const struct flows *x))
{
	size_t n = 0;
	bool *gone = calloc(c->begin.n + 1, sizeof *gone);

	for (size_t i = 0; gone && i < c->begin.n; i++)
		gone[i] = is(c, &c->begin.v[i], x);
	for (size_t i = 0; gone && i < c->begin.n; i++)
		if (!gone[i])
			c->begin.v[n++] = c->begin.v[i];
	if (gone)
		c->begin.n = n;
	free(gone);
}

static const char *why_not(const struct flows *x, uint64_t off)
{
	const struct flow *f = flows_at(x, off);

	return f ? f->why : "no instruction begins there";
}

int begins_find(struct line_code *c, struct arena *a, struct blocks_env *env)
{
	struct flows x = { 0 };
	int r = c->function && env->decoder->lib ? flows_read(&x, env->decoder, env->elf, c->function) : -ENOEXEC;

	c->begin.n = 0;
	for (size_t i = 0; i < c->run.n; i++)
		begin_add(c, a, i, c->run.v[i].start);
	if (!r) {
		add_entered(c, a, &x);
		remove_if(c, &x, is_passage);
		remove_if(c, &x, is_part);
		blocks_find(&x, env, c->function);
	}
	for (size_t i = 0; i < c->begin.n; i++) {
		/* r: the code was not decoded */
		c->begin.v[i].why = r ? (DECODER_REQUIRED ? "its instructions cannot be decoded" : NULL) :
				    why_not(&x, c->begin.v[i].off);
		c->begin.v[i].block = blocks_at(&x, c->begin.v[i].off);
		c->begin.v[i].cheapest = blocks_cheapest(&x, c->begin.v[i].off);
	}
	flows_free(&x);
	return r;
}
