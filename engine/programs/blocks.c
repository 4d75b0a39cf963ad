/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/blocks.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "engine/symbols/elf.h"

/* Tables of switches and of labels hold distances of 4 bytes. One continues as long as targets are found in it, at most
 * GAP bytes apart. */
enum { DISTANCE = 4, GAP = 1 << 14, WORK_MAX = 1 << 30 };	/* distances that are added to an address, in a file */

struct blocks_walk {
	struct flows *flows;
	struct blocks_env *env;
	const struct program_function *function;
	uint64_t delta;			/* link-time address of an instruction less its offset in the file */
	bool found;			/* a target of indirect jumps */
	uint64_t *base;			/* addresses in the function that it computes */
	size_t nbases;
	uint64_t table;			/* the last one that was read */
};

static bool in_function(const struct blocks_walk *w, uint64_t off)
{
	return off - w->function->off < w->function->size;
}

static void block_enter(void *arg, uint64_t off)
{
	struct blocks_walk *w = arg;
	struct flow *f = in_function(w, off) ? flows_at(w->flows, off) : NULL;

	if (!f)
		return;
	f->first = true;
	w->found |= off != w->function->off;
}

/* ---- tables ---- */

/* Returns true if the distance leads into the function from the table, or from an address that the function computes.
 */
static bool take_distance(struct blocks_walk *w, uint64_t table, int32_t distance)
{
	bool taken = false;

	for (size_t i = 0; i <= w->nbases; i++) {
		uint64_t to = (i ? w->base[i - 1] : table) + (uint64_t)(int64_t)distance - w->delta;

		if (!in_function(w, to) || !flows_at(w->flows, to))
			continue;
		block_enter(w, to);
		taken = true;
	}
	return taken;
}

static void take_table(struct blocks_walk *w, uint64_t table)
{
	uint8_t data[4096];
	uint64_t off, end = GAP;

	if (table == w->table || !elf_offset(w->env->elf, table, &off))
		return;
	w->table = table;
	for (uint64_t at = 0; at < end && w->env->work < WORK_MAX; at += sizeof data) {
		size_t n = sizeof data;

		w->env->work += n / DISTANCE * (w->nbases + 1);

		while (n && !elf_read(w->env->elf, off + at, data, n))
			n /= 2;		/* the end of the file */
		for (size_t i = 0; i + DISTANCE <= n; i += DISTANCE) {
			int32_t distance;

			memcpy(&distance, data + i, sizeof distance);
			if (take_distance(w, table, distance))
				end = at + i + GAP;
		}
		if (n < sizeof data)
			return;
	}
}

/* ---- addresses in the code ---- */
static void take_base(struct blocks_walk *w, uint64_t address)
{
	bool last = w->nbases && w->base[w->nbases - 1] == address;

	if (!last && flows_at(w->flows, address - w->delta)) {
		block_enter(w, address - w->delta);
		w->base[w->nbases++] = address;
	}
}

static bool has_fixed_addresses(const struct elf *e)
{
	Elf64_Half type;

	return !elf_read(e, offsetof(Elf64_Ehdr, e_type), &type, sizeof type) || type == ET_EXEC;
}

/* In a program that cannot be loaded elsewhere, any 4 bytes of an instruction may be an address. */
static void each_fixed(struct blocks_walk *w, void (*fn)(struct blocks_walk *w, uint64_t address))
{
	const struct program_function *f = w->function;
	uint8_t *code = has_fixed_addresses(w->env->elf) ? malloc(f->size) : NULL;
	uint32_t word;

	if (code && elf_read(w->env->elf, f->off, code, f->size))
		for (uint64_t at = 0; at + sizeof word <= f->size; at++) {
			memcpy(&word, code + at, sizeof word);
			fn(w, word);
		}
	free(code);
}

static void each_address(struct blocks_walk *w, void (*fn)(struct blocks_walk *w, uint64_t address))
{
	for (size_t i = 0; i < w->flows->n; i++)
		if (w->flows->v[i].address)
			fn(w, w->flows->v[i].target + w->delta);
	each_fixed(w, fn);
}

static void only_base(struct blocks_walk *w, uint64_t address)
{
	if (in_function(w, address - w->delta))
		take_base(w, address);
}

static void only_table(struct blocks_walk *w, uint64_t address)
{
	if (address && !in_function(w, address - w->delta))
		take_table(w, address);
}

/* ---- functions ---- */

/* A jump to an unknown address, or to a thunk that jumps there. */
static bool is_indirect(const struct blocks_walk *w, const struct flow *f)
{
	const struct program_function *to = NULL;

	if (f->kind == FLOW_JUMP && !in_function(w, f->target))
		to = functions_at(w->env->functions, f->target);
	return f->kind == FLOW_INDIRECT || (to && (strstr(to->name, "thunk") || strstr(to->name, "retpoline")));
}

static bool mark_direct(struct blocks_walk *w)
{
	struct flows *x = w->flows;
	bool indirect = false;

	for (size_t i = 0; i < x->n; i++) {
		struct flow *f = &x->v[i];

		f->first |= f->leader || f->lands;
		if (f->stops && i + 1 < x->n)
			x->v[i + 1].first = true;
		indirect |= is_indirect(w, f);
	}
	return indirect;
}

/* Returns false if it is not known where control can enter. */
static bool blocks_mark(struct blocks_walk *w)
{
	bool indirect = mark_direct(w);

	each_address(w, only_base);
	entries_within(w->env->entries, w->function->off, w->function->size, block_enter, w);
	if (indirect)
		each_address(w, only_table);
	return !indirect || (w->found && w->env->work < WORK_MAX);
}

void blocks_find(struct flows *x, struct blocks_env *env, const struct program_function *f)
{
	struct blocks_walk w = { .flows = x, .env = env, .function = f };
	uint64_t address;
	bool ok = false;

	if (env->entries && !f->part && elf_vaddr(env->elf, f->off, &address)) {
		w.delta = address - f->off;
		w.base = calloc(x->n + f->size, sizeof *w.base);
		ok = w.base && blocks_mark(&w);
		free(w.base);
	}
	for (size_t i = 0; i < x->n && !ok; i++)
		x->v[i].first = true;
}

uint64_t blocks_at(const struct flows *x, uint64_t off)
{
	const struct flow *f = flows_at(x, off);

	while (f && !f->first && f > x->v)
		f--;
	return f ? f->off : off;
}

static bool is_cheap(const struct flow *f)
{
	return f->emulated && !f->why;
}

uint64_t blocks_cheapest(const struct flows *x, uint64_t off)
{
	const struct flow *from = flows_at(x, off), *f = from, *end = x->v + x->n;

	if (!from)
		return off;
	while (!is_cheap(f) && f + 1 < end && !f[1].first)
		f++;
	if (is_cheap(f))
		return f->off;
	for (f = from; !f->first && f > x->v && !is_cheap(f);)
		f--;
	return is_cheap(f) ? f->off : off;
}
