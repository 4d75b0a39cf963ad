/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/jit_codes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
	BLOCK = 64,			/* ranges per element of `reach` */
	SEEN_MAX = 1 << 16,		/* overlapping ranges that a search compares */
	NAMES_MAX = 128 << 20,		/* bytes of all names */
};

void jit_codes_free(struct jit_codes *c)
{
	free(c->v);
	free(c->names);
	free(c->starts);
	free(c->order);
	free(c->reach);
	*c = (struct jit_codes){ 0 };
}

/* ---- the newest range of each start ---- */
static uint32_t *start_slot(const struct jit_codes *c, uint64_t start)
{
	uint32_t i = (uint32_t)((start * c->factor >> 32) * c->nstarts >> 32);

	while (c->starts[i] && c->v[c->starts[i] - 1].start != start)
		i = (i + 1) & (c->nstarts - 1);
	return &c->starts[i];
}

/* Doubles the hash table when it is half full. The factor is random: nobody can choose addresses that collide. */
static bool starts_room(struct jit_codes *c)
{
	struct jit_codes bigger = *c;

	if (2 * c->n < c->nstarts)
		return true;
	bigger.nstarts = c->nstarts ? 2 * c->nstarts : 256;
	if (!c->nstarts && getrandom(&bigger.factor, sizeof bigger.factor, GRND_NONBLOCK) < 0)
		bigger.factor = 0x9e3779b97f4a7c15ull;
	bigger.factor |= 1;
	bigger.starts = calloc(bigger.nstarts, sizeof *bigger.starts);
	if (!bigger.starts)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		*start_slot(&bigger, c->v[i].start) = i + 1;
	free(c->starts);
	*c = bigger;
	return true;
}

/* ---- adding ---- */
static bool codes_room(struct jit_codes *c)
{
	uint32_t room = c->room ? 2 * c->room : 64;
	struct jit_code *v;

	if (c->n >= JIT_CODES_MAX) {
		c->full = true;
		return false;
	}
	if (c->n == c->room) {
		v = realloc(c->v, room * sizeof *v);
		if (v) {
			c->v = v;
			c->room = room;
		}
	}
	if (c->n < c->room && starts_room(c))
		return true;
	c->nomem = true;
	return false;
}

static bool names_room(struct jit_codes *c, size_t len)
{
	size_t need = c->names_len + len + 1, room = c->names_room ? c->names_room : 4096;
	char *names;

	if (need > NAMES_MAX) {
		c->full = true;
		return false;
	}
	while (room < need)
		room *= 2;
	if (room == c->names_room)
		return true;
	names = realloc(c->names, room);
	c->nomem |= !names;
	if (!names)
		return false;
	c->names = names;
	c->names_room = room;
	return true;
}

static bool name_put(struct jit_codes *c, const char *name, size_t len, uint32_t *out)
{
	len = strnlen(name, len < JIT_NAME_MAX ? len : JIT_NAME_MAX);
	if (!names_room(c, len))
		return false;
	memcpy(c->names + c->names_len, name, len);
	*out = (uint32_t)c->names_len;
	c->names_len += len;
	c->names[c->names_len++] = '\0';
	return true;
}

static void code_put(struct jit_codes *c, const struct jit_code *x)
{
	uint32_t *slot;

	if (!codes_room(c))
		return;
	slot = start_slot(c, x->start);
	c->v[c->n] = *x;
	c->v[c->n].off = c->bytes;
	c->bytes += x->end - x->start;
	*slot = ++c->n;
}

static bool is_range(uint64_t start, uint64_t size)
{
	return size && start + size > start;
}

void jit_codes_add(struct jit_codes *c, const struct jit_range *r, const char *name, size_t len)
{
	struct jit_code x = { .start = r->start, .end = r->start + r->size, .since = r->since };

	if (is_range(r->start, r->size) && name_put(c, name, len, &x.name))
		code_put(c, &x);
}

void jit_codes_move(struct jit_codes *c, uint64_t from, uint64_t to, uint64_t size, uint64_t time)
{
	struct jit_code x = { .start = to, .end = to + size, .since = time };
	struct jit_code *old;
	uint32_t *slot = c->nstarts ? start_slot(c, from) : NULL;

	old = slot && *slot ? &c->v[*slot - 1] : NULL;
	if (!old || old->until || !is_range(to, size))
		return;
	old->until = time ? time : 1;
	x.name = old->name;
	code_put(c, &x);
}

/* ---- searching ---- */
static int code_order(const void *x, const void *y, void *arg)
{
	const struct jit_code *v = arg;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;

	if (v[i].start != v[k].start)
		return v[i].start < v[k].start ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* Sorts the ranges that were added since the last search. Returns false if memory runs out. */
static bool order_make(struct jit_codes *c)
{
	uint32_t sorted = c->ordered, more = c->n - sorted, *tail, *order;
	uint64_t *reach;

	if (!more)
		return true;
	tail = malloc(more * sizeof *tail);
	order = realloc(c->order, c->n * sizeof *order);
	c->order = order ? order : c->order;
	reach = realloc(c->reach, (c->n / BLOCK + 1) * sizeof *reach);
	c->reach = reach ? reach : c->reach;
	if (!tail || !order || !reach) {
		c->nomem = true;
		free(tail);
		return false;
	}
	for (uint32_t i = 0; i < more; i++)
		tail[i] = sorted + i;
	qsort_r(tail, more, sizeof *tail, code_order, c->v);
	/* merge the new ones with those that are sorted already, from the end */
	for (uint32_t at = c->n; more;)
		order[--at] = sorted && code_order(&order[sorted - 1], &tail[more - 1], c->v) > 0 ? order[--sorted] :
			tail[--more];
	free(tail);
	c->ordered = c->n;
	for (uint32_t i = 0; i < c->n; i++) {
		uint64_t end = c->v[order[i]].end;

		if (i % BLOCK == 0 || reach[i / BLOCK] < end)
			reach[i / BLOCK] = end;
	}
	return true;
}

/* The position after the last range that starts at or before the address. */
static uint32_t order_end(const struct jit_codes *c, uint64_t addr)
{
	uint32_t lo = 0, hi = c->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->v[c->order[mid]].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* How well a range fits a time: valid then, or valid later, or no longer valid at the present time. */
enum jit_fit { FIT_NONE, FIT_ENDED, FIT_LATER, FIT_VALID };

static enum jit_fit code_fit(const struct jit_code *x, uint64_t at)
{
	if (!at)
		return x->until ? FIT_ENDED : FIT_VALID;
	if (x->since > at)
		return FIT_LATER;
	return x->until && x->until <= at ? FIT_NONE : FIT_VALID;
}

/* Of two ranges that fit equally well, the newest counts; of later ones, the oldest. */
static bool code_newer(const struct jit_code *a, const struct jit_code *b)
{
	return a->since != b->since ? a->since > b->since : a > b;
}

struct jit_choice {
	const struct jit_code *best;
	enum jit_fit fit;
	uint32_t seen;
};

static void code_choose(struct jit_choice *c, const struct jit_code *x, uint64_t at)
{
	enum jit_fit fit = code_fit(x, at);

	c->seen++;
	if (fit < c->fit || fit == FIT_NONE)
		return;
	if (fit > c->fit || code_newer(x, c->best) == (fit != FIT_LATER))
		c->best = x;
	c->fit = fit;
}

const struct jit_code *jit_codes_find(struct jit_codes *c, uint64_t addr, uint64_t at)
{
	struct jit_choice choice = { 0 };
	uint32_t i;

	if (!order_make(c))
		return NULL;
	i = order_end(c, addr);
	while (i > 0 && choice.seen < SEEN_MAX) {
		const struct jit_code *x = &c->v[c->order[i - 1]];

		if (c->reach[(i - 1) / BLOCK] <= addr) {
			i = (i - 1) / BLOCK * BLOCK;
			continue;
		}
		if (addr < x->end)
			code_choose(&choice, x, at);
		i--;
	}
	return choice.best;
}

const char *jit_codes_name(const struct jit_codes *c, const struct jit_code *x)
{
	return c->names + x->name;
}

/* Times increase with the order of the file, apart from small differences between threads. */
uint64_t jit_codes_changed(const struct jit_codes *c, uint64_t at)
{
	uint32_t lo = 0, hi = c->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (!at || c->v[mid].since <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? c->v[lo - 1].since : 0;
}
