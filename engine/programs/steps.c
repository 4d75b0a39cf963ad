/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/steps.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/symbols/elf.h"

enum {
	PARTS = 8,		/* of a function */
	CODE_MAX = 16 << 20,	/* bytes of a part */
	LOOK_BACK = 8,		/* instructions before an indirect jump among which the load from its table is */
};

struct part {
	uint64_t off, size;	/* in the file */
};

struct step_walk {
	const struct decoder *decoder;
	const struct elf *elf;
	const struct functions *all;
	uint64_t entry;
	struct part part[PARTS];
	unsigned nparts;
	enum insn_load load;	/* the last load from a table, and the number of instructions since then */
	unsigned since;
	step_fn *fn;		/* NULL: only looks whether everything can be decoded */
	void *arg;
};

/* True if the address is in the function. Finds its parts elsewhere. */
static bool in_function(struct step_walk *w, uint64_t off)
{
	const struct program_function *f;

	for (unsigned i = 0; i < w->nparts; i++)
		if (off - w->part[i].off < w->part[i].size)
			return true;
	f = functions_at(w->all, off);
	if (!f || !f->part || w->nparts == PARTS)
		return false;
	w->part[w->nparts++] = (struct part){ f->off, f->size };
	return true;
}

/* A jump to an address in a register or in memory is a switch or the call of another function. */
static enum program_leaves leaves_indirect(const struct step_walk *w, const struct insn *x)
{
	enum insn_load load = w->since < LOOK_BACK ? w->load : LOAD_NONE;

	if (x->notrack || load == LOAD_OFFSET)
		return LEAVES_NOT;
	return x->indexed || load == LOAD_POINTER ? LEAVES_UNKNOWN : LEAVES_TAIL;
}

static enum program_leaves leaves_how(struct step_walk *w, uint64_t at, const struct insn *x)
{
	switch (x->flow) {
	case FLOW_RETURN:
		return LEAVES_RETURN;
	case FLOW_JUMP:
		return in_function(w, at + (uint64_t)x->target) ? LEAVES_NOT : LEAVES_TAIL;
	case FLOW_BRANCH:
		return in_function(w, at + (uint64_t)x->target) ? LEAVES_NOT : LEAVES_UNKNOWN;
	case FLOW_INDIRECT:
		return leaves_indirect(w, x);
	default:
		return LEAVES_NOT;
	}
}

static int walk_part(struct step_walk *w, struct part p, const uint8_t *code)
{
	bool wide = w->elf->is64;

	uint32_t exits = 0;

	w->since = LOOK_BACK;
	for (uint64_t at = 0; at < p.size;) {
		struct program_step step;
		struct insn x;

		if (!decoder_insn(w->decoder, wide, code + at, p.size - at, &x))
			return -ENOEXEC;
		decoder_follow(&exits, &x);
		step = (struct program_step){
			.off = p.off + at - w->entry, .leaves = leaves_how(w, p.off + at, &x), .probed = !x.refused,
			.emulated = x.emulated, .why = x.refused,
		};
		if (w->fn)
			w->fn(w->arg, &step);
		w->since += w->since < LOOK_BACK;
		if (x.load) {
			w->load = x.load;
			w->since = 0;
		}
		at += x.size;
	}
	return 0;
}

static int walk_read(struct step_walk *w, unsigned i)
{
	struct part p = w->part[i];
	uint8_t *code = p.size <= CODE_MAX ? malloc(p.size) : NULL;
	int r = code ? 0 : -ENOMEM;

	if (!r && !elf_read(w->elf, p.off, code, p.size))
		r = -EIO;
	if (!r)
		r = walk_part(w, p, code);
	free(code);
	return r;
}

/* Later parts are found while earlier ones are read. */
static int walk_all(struct step_walk *w)
{
	int r = 0;

	for (unsigned i = 0; i < w->nparts && !r; i++)
		r = walk_read(w, i);
	return r;
}

int steps_read(const struct steps_code *c, const struct program_function *f, step_fn *fn, void *arg)
{
	struct step_walk w = {
		.decoder = c->decoder, .elf = c->elf, .all = c->all, .entry = f->off,
		.part = { { f->off, f->size } }, .nparts = 1, .arg = arg,
	};
	int r = walk_all(&w);

	w.fn = fn;
	return r ? r : walk_all(&w);
}

/* The offset in the file of an address that is relative to a place in it. */
static bool code_at(const struct elf *e, uint64_t from, int64_t distance, uint64_t *off)
{
	uint64_t vaddr, rest;

	return elf_vaddr(e, from, &vaddr) && elf_code(e, vaddr + (uint64_t)distance, off, &rest);
}

int steps_addresses(const struct decoder *d, const struct elf *e, const struct program_function *f,
		    void (*fn)(void *arg, uint64_t off), void *arg)
{
	uint8_t *code = f->size <= CODE_MAX ? malloc(f->size) : NULL;
	int r = !code ? -ENOMEM : elf_read(e, f->off, code, f->size) ? 0 : -EIO;
	uint64_t off;
	struct insn x;

	for (uint64_t at = 0; !r && at < f->size; at += x.size) {
		if (!decoder_insn(d, e->is64, code + at, f->size - at, &x))
			r = -ENOEXEC;
		else if (x.address && code_at(e, f->off + at, x.target, &off))
			fn(arg, off);
	}
	free(code);
	return r;
}
