/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stack frame of one function: which objects are on the stack, which in scratch memory, and which share bytes. */
#include "engine/bpf/code/layout.h"

#include <stdlib.h>
#include <string.h>

enum {
	STACK_FRAMES = 127,	/* limit of stackdepth: PERF_MAX_STACK_DEPTH */
	FEW_BLOCKS = 24,	/* functions with more blocks keep clause-local variables in scratch memory; */
	FEW_LOCALS = 4,		/* with up to this many such variables, */
	SOME_BLOCKS = 128,	/* the limit is this many blocks */
	NLIMITS = 6,
};

/* Objects on the stack have at most so many bytes: the first limit with which they fit. */
static const uint32_t limits[NLIMITS] = { 512, 256, 128, 64, 32, 0 };

/* First fit: the objects that are placed and still needed, by offset. */
struct fit {
	struct frame_place **live;
	uint32_t n, peak;
};

static bool in_frame(const struct bpf_image *im, const struct bpf_frame *fr, uint32_t obj)
{
	enum ir_objkind k;

	if (obj >= im->prog->objs.n)
		return fr->obj[obj].size > 0;
	k = im->prog->objs.v[obj].kind;
	return k == IR_O_TEMP || k == IR_O_LOCAL || k == IR_O_REC;
}

static void touch_object(struct bpf_frame *fr, uint32_t obj, uint32_t size, uint32_t pos)
{
	struct frame_place *o = &fr->obj[obj];

	if (!o->last)
		o->first = pos;
	o->last = pos;
	if (o->size < size)
		o->size = size;
}

/* In a cell's key, the CPU number follows the key: in place if the key ends its object, otherwise in a copy. */
static void touch_key(struct bpf_frame *fr, const struct bpf_image *im, const struct ir_ins *ins, uint32_t pos)
{
	const struct ir_arg *key = &ins->arg[1];
	const struct ir_obj *agg;

	if (ins->op != IR_CELL)
		return;
	agg = &im->prog->objs.v[ins->arg[0].obj];
	if (in_frame(im, fr, key->obj) && !key->idx &&
	    key->imm + agg->keysize == im->prog->objs.v[key->obj].size &&
	    fr->obj[key->obj].at != AT_OUTER_STACK && fr->obj[key->obj].at != AT_OUTER_SCRATCH)
		fr->obj[key->obj].key = true;
	else
		touch_object(fr, (uint32_t)im->prog->objs.n + XO_KEYBUF, agg->keysize + 8, pos);
}

static void touch_ins(struct bpf_frame *fr, const struct bpf_image *im, const struct ir_ins *ins, uint32_t pos)
{
	for (unsigned k = 0; k < ins->nargs; k++) {
		const struct ir_arg *a = &ins->arg[k];

		if ((a->kind == IR_MEM || a->kind == IR_OBJ) && a->obj < im->prog->objs.n && in_frame(im, fr, a->obj)) {
			touch_object(fr, a->obj, im->prog->objs.v[a->obj].size, pos);
			fr->obj[a->obj].far |= im->place[a->obj].far;
		}
		/* the verifier rejects atomics at an unknown place of the stack */
		if (a->kind == IR_MEM && a->idx)
			fr->obj[a->obj].far = true;
	}
	touch_key(fr, im, ins, pos);
	if (ins->op == IR_STACKDEPTH || ins->op == IR_USTACKDEPTH)
		touch_object(fr, (uint32_t)im->prog->objs.n + XO_STACKBUF, STACK_FRAMES * 8, pos);
}

/* Clause-local variables are live from the start; those that the error function uses, to the end of every function
 * that can call it. The verifier tracks what is on the stack and checks every combination of values that are tested
 * later, twice as many for each flag. Functions with many blocks therefore keep them in scratch memory. */
static void scan_locals(struct bpf_frame *fr, const struct bpf_image *im, bool faults, size_t nblocks)
{
	unsigned locals = 0;
	bool many;

	for (uint32_t i = 0; i < im->prog->objs.n; i++)
		locals += im->prog->objs.v[i].kind == IR_O_LOCAL && fr->obj[i].last;
	many = nblocks > (locals <= FEW_LOCALS ? SOME_BLOCKS : FEW_BLOCKS);
	for (uint32_t i = 0; i < im->prog->objs.n; i++) {
		if (im->prog->objs.v[i].kind != IR_O_LOCAL)
			continue;
		if (im->place[i].shared && faults)
			touch_object(fr, i, im->prog->objs.v[i].size, POS_PROLOGUE);
		if (!fr->obj[i].last)
			continue;
		fr->obj[i].first = POS_PROLOGUE;
		if (im->place[i].shared)
			fr->obj[i].last = UINT32_MAX;
		fr->obj[i].far |= many || im->place[i].far;
	}
}

/* Finds the objects and the positions between which each one is needed. */
static void scan_objects(struct bpf_frame *fr, const struct bpf_image *im, const struct frame_want *w)
{
	const struct bpf_frame *outer = w->outer;
	const struct ir_func *f = w->f;
	uint32_t pos = POS_FIRST;
	bool faults = false;

	for (uint32_t i = 0; outer && i < im->prog->objs.n; i++) {
		if (im->prog->objs.v[i].kind == IR_O_LOCAL && outer->obj[i].last) {
			fr->obj[i].off = outer->obj[i].off;
			fr->obj[i].at = outer->obj[i].at == AT_STACK ? AT_OUTER_STACK : AT_OUTER_SCRATCH;
		}
	}
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t i = 0; w->reached[b] && i < f->blocks.v[b].ins.n; i++) {
			touch_ins(fr, im, &f->blocks.v[b].ins.v[i], pos++);
			faults |= f->blocks.v[b].ins.v[i].op == IR_FAULT && !outer;
		}
	}
	scan_locals(fr, im, faults, f->blocks.n);
}

/* Registers in memory are needed throughout. */
static void touch_always(struct bpf_frame *fr, uint32_t obj, uint32_t size)
{
	if (!size)
		return;
	touch_object(fr, obj, size, POS_PROLOGUE);
	fr->obj[obj].last = UINT32_MAX;
}

/* Each part of a chain has its own stack; an object that is needed on both sides of a cut must not be on it. */
static void keep_off_stack(struct bpf_frame *fr, uint32_t nobjs, const struct chain *c)
{
	touch_always(fr, nobjs + XO_SAVE, 8 * c->most_saved);
	for (uint32_t i = 0; i < fr->nobjs; i++) {
		for (uint32_t p = 1; p < c->n; p++)
			fr->obj[i].far |= fr->obj[i].first < c->cut[p] && fr->obj[i].last >= c->cut[p];
	}
}

static int by_first(const void *a, const void *b)
{
	const struct frame_place *x = *(struct frame_place *const *)a, *y = *(struct frame_place *const *)b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Places an object at the lowest offset that is free from o->first on. */
static void fit_place(struct fit *f, struct frame_place *o)
{
	uint32_t n = 0, at = 0, size = (o->size + 7) / 8 * 8 + 8 * o->key, i;

	for (i = 0; i < f->n; i++) {
		if (f->live[i]->last >= o->first)
			f->live[n++] = f->live[i];
	}
	f->n = n;
	for (i = 0; i < n; i++) {
		const struct frame_place *l = f->live[i];

		if (at + size <= (uint32_t)l->off)
			break;
		at = (uint32_t)l->off + (l->size + 7) / 8 * 8 + 8 * l->key;
	}
	memmove(&f->live[i + 1], &f->live[i], (n - i) * sizeof *f->live);
	f->live[i] = o;
	f->n++;
	o->off = (int32_t)at;
	if (f->peak < at + size)
		f->peak = at + size;
}

/* Puts objects of at most `limit` bytes on the stack. Returns how many bytes they take. */
static uint32_t try_limit(struct bpf_frame *fr, struct frame_place **v, uint32_t n, struct frame_place **tmp,
			  uint32_t limit)
{
	struct fit stack = { .live = tmp }, scratch = { .live = tmp + n + 1 };

	for (uint32_t i = 0; i < n; i++) {
		bool small = v[i]->size <= limit && !v[i]->far;

		v[i]->at = small ? AT_STACK : AT_SCRATCH;
		fit_place(small ? &stack : &scratch, v[i]);
	}
	fr->objects = stack.peak;
	fr->scratch = scratch.peak;
	fr->claims = scratch.peak > 0;
	return stack.peak;
}

/* Turns the offsets of the first fit into offsets from the frame pointer or the scratch pointer. */
static void settle_offsets(struct frame_place **v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct frame_place *o = v[i];

		if (o->at == AT_STACK)
			o->off = -(int32_t)(HOME_SIZE + (uint32_t)o->off + (o->size + 7) / 8 * 8 + 8 * o->key);
		else
			o->off += SCRATCH_HEADER;
	}
}

bool layout_is_long(const struct ir_func *f)
{
	return f->blocks.n > SOME_BLOCKS;
}

/* The verifier compares what is on the stack when two paths meet. It continues with both if one has written a number
 * where the other has called a helper, or with both numbers if they were known; so long functions keep all objects in
 * scratch memory, whose contents it does not follow. */
static unsigned first_limit(const struct ir_func *f)
{
	return layout_is_long(f) ? NLIMITS - 1 : 0;
}

void layout_frame(struct bpf_frame *fr, const struct bpf_image *im, const struct frame_want *w, uint32_t budget)
{
	uint32_t nobjs = (uint32_t)im->prog->objs.n, n = 0;
	struct frame_place **v, **tmp;

	memset(fr, 0, sizeof *fr);
	fr->nobjs = nobjs + XO_COUNT;
	fr->obj = arena_calloc(im->tmp, fr->nobjs, sizeof *fr->obj);
	touch_always(fr, nobjs + XO_SPILL, w->spill);
	fr->obj[nobjs + XO_SPILL].far = true;
	scan_objects(fr, im, w);
	if (w->chain)
		keep_off_stack(fr, nobjs, w->chain);
	v = arena_calloc(im->tmp, fr->nobjs, sizeof(void *));
	tmp = arena_calloc(im->tmp, 2 * (fr->nobjs + 1), sizeof(void *));
	for (uint32_t i = 0; i < fr->nobjs; i++) {
		if (i < nobjs)
			fr->obj[i].far |= im->place[i].window;
		if (fr->obj[i].last && fr->obj[i].at == AT_NOWHERE)
			v[n++] = &fr->obj[i];
	}
	qsort(v, n, sizeof(void *), by_first);
	for (unsigned i = first_limit(w->f); i < NLIMITS; i++) {
		if (try_limit(fr, v, n, tmp, limits[i]) <= budget)
			break;
	}
	settle_offsets(v, n);
}
