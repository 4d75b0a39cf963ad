/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Linear scan register allocation. */
#include "engine/bpf/code/regalloc.h"

#include <stdlib.h>

#include "engine/bpf/code/insn.h"

/* In the order in which they are tried; the registers that are preserved across calls are last. */
static const int8_t pool[] = { R1, R2, R3, R4, R6, R7, R8, R9 };
enum { NPOOL = sizeof pool / sizeof pool[0], FIRST_SAVED = 4 };

struct scan {
	struct regalloc *ra;
	struct interval *held[NPOOL];	/* the interval that holds pool[i] */
};

static int by_start(const void *a, const void *b)
{
	const struct interval *x = *(struct interval *const *)a, *y = *(struct interval *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The intervals of all mentioned registers, by start. */
static struct interval **intervals_by_start(struct regalloc *ra, struct arena *a, uint32_t *n)
{
	struct interval **v = arena_calloc(a, ra->n + 1, sizeof(void *));

	*n = 0;
	for (uint32_t r = 1; r <= ra->n; r++) {
		if (ra->v[r].end)
			v[(*n)++] = &ra->v[r];
	}
	qsort(v, *n, sizeof(void *), by_start);
	return v;
}

static void expire_before(struct scan *s, uint32_t start)
{
	for (int i = 0; i < NPOOL; i++) {
		/* a register read at `start` may also be written there; one that is only written there is still live */
		if (s->held[i] && (s->held[i]->end < start || (s->held[i]->end == start && s->held[i]->read == start)))
			s->held[i] = NULL;
	}
}

static int find_free(const struct scan *s, const struct interval *v)
{
	int first = v->crosses ? FIRST_SAVED : 0;

	if (v->hint && s->ra->v[v->hint].end && s->ra->v[v->hint].reg >= 0) {
		for (int i = first; i < NPOOL; i++) {
			if (pool[i] == s->ra->v[v->hint].reg && !s->held[i])
				return i;
		}
	}
	for (int i = first; i < NPOOL; i++) {
		if (!s->held[i])
			return i;
	}
	return -1;
}

/* Spills the interval that is needed longest, if it is needed longer than v. Its register becomes free. */
static int evict_longest(struct scan *s, const struct interval *v)
{
	int worst = -1;

	for (int i = v->crosses ? FIRST_SAVED : 0; i < NPOOL; i++) {
		if (worst < 0 || s->held[i]->end > s->held[worst]->end)
			worst = i;
	}
	if (s->held[worst]->end <= v->end)
		return -1;
	s->held[worst]->reg = -1;
	return worst;
}

/* No stack holds more slots; the exact number does not matter. */
enum { MANY_SLOTS = 512 / 8 };

/* Assigns slots to the spilled intervals: each takes the first slot that is free at its start. Returns the number of
 * slots; stops above `most`. */
static uint32_t assign_slots(struct arena *a, struct interval **v, uint32_t n, uint32_t most)
{
	VEC(uint32_t) busy = { 0 };	/* position until which each slot is taken */

	for (uint32_t i = 0; i < n && busy.n <= most; i++) {
		size_t s = 0;

		if (v[i]->reg >= 0)
			continue;
		while (s < busy.n && busy.v[s] >= v[i]->start)
			s++;
		if (s == busy.n)
			*VEC_ADD(a, &busy) = 0;
		busy.v[s] = v[i]->end;
		v[i]->slot = (uint32_t)s;
	}
	return (uint32_t)busy.n;
}

void regalloc_run(struct regalloc *ra, struct arena *a)
{
	struct scan s = { .ra = ra };
	uint32_t n;
	struct interval **v = intervals_by_start(ra, a, &n);

	for (uint32_t i = 0; i < n; i++) {
		int at;

		expire_before(&s, v[i]->start);
		at = find_free(&s, v[i]);
		if (at < 0)
			at = evict_longest(&s, v[i]);
		v[i]->reg = at < 0 ? -1 : pool[at];
		if (at >= 0)
			s.held[at] = v[i];
	}
	ra->nslots = assign_slots(a, v, n, MANY_SLOTS);
}

uint32_t regalloc_memory(struct regalloc *ra, struct arena *a, uint32_t nregs, uint32_t first, uint32_t *slot)
{
	struct interval **v;
	uint32_t n, most, kept = 0;

	v = intervals_by_start(ra, a, &n);
	for (uint32_t i = 0; i < n; i++)
		if (v[i]->reg < 0 && !v[i]->pointer && v[i] <= &ra->v[nregs])
			v[kept++] = v[i];
	most = assign_slots(a, v, kept, UINT32_MAX - 1);
	for (uint32_t i = 0; i < kept; i++)
		slot[v[i] - ra->v] = v[i]->slot + first;
	return most;
}
