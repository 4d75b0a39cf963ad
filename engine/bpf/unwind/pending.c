/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/unwind/pending.h"

#include <stdlib.h>
#include <string.h>

#include "rt/unwind.h"

enum { PENDING = 1 << 16, PENDING_BYTES = 4 << 20 };

static size_t size_of(const struct pending_stack *s)
{
	return sizeof *s + s->n * sizeof *s->pc;
}

static void slot_clear(struct unwind_pending *p, struct pending_stack **slot)
{
	p->bytes -= *slot ? size_of(*slot) : 0;
	free(*slot);
	*slot = NULL;
}

/* Frees the stacks that were stored first, until the memory is enough. */
static void oldest_drop(struct unwind_pending *p, uint64_t newest)
{
	for (; p->bytes > PENDING_BYTES && p->oldest < newest; p->oldest++) {
		struct pending_stack **slot = &p->v[p->oldest % PENDING];

		if (*slot && (*slot)->number == p->oldest)
			slot_clear(p, slot);
	}
}

void pending_add(struct unwind_pending *p, uint64_t number, const uint64_t *pc, uint32_t n)
{
	struct pending_stack *s = malloc(sizeof *s + n * sizeof *pc), **slot;

	if (!p->v)
		p->v = calloc(PENDING, sizeof *p->v);
	p->nomem |= !p->v || !s;
	if (!p->v || !s) {
		free(s);
		return;
	}
	*s = (struct pending_stack){ .number = number, .n = n };
	memcpy(s->pc, pc, n * sizeof *pc);
	slot = &p->v[number % PENDING];
	slot_clear(p, slot);
	*slot = s;
	p->bytes += size_of(s);
	if (!p->oldest)
		p->oldest = number;
	oldest_drop(p, number);
}

bool pending_frames(struct unwind_pending *p, uint64_t word, uint64_t *pc, uint32_t max)
{
	uint64_t number = word & ~UNWIND_PENDING_MASK;
	const struct pending_stack *s = p->v ? p->v[number % PENDING] : NULL;

	if ((word & UNWIND_PENDING_MASK) != UNWIND_PENDING)
		return false;
	memset(pc, 0, max * sizeof *pc);
	if (!s || s->number != number)
		p->lost++;
	else
		memcpy(pc, s->pc, (s->n < max ? s->n : max) * sizeof *pc);
	return true;
}

void pending_close(struct unwind_pending *p)
{
	for (uint32_t i = 0; p->v && i < PENDING; i++)
		free(p->v[i]);
	free(p->v);
	*p = (struct unwind_pending){ 0 };
}
