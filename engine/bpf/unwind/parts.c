/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/unwind/parts.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

void parts_add(struct unwind_parts *p, const struct unwind_stack_part *part, size_t size)
{
	struct parts_stack *s = &p->stack[part->number % PARTS_STACKS];
	struct unwind_stack_part **to;

	if (size < sizeof *part + UNWIND_COPY)
		return;
	if (s->number != part->number)
		s->n = 0;
	s->number = part->number;
	if (s->n == UNWIND_PARTS)
		return;
	to = &s->part[s->n];
	if (!*to)
		*to = malloc(sizeof **to + UNWIND_COPY);
	if (!*to)
		return;
	memcpy(*to, part, sizeof **to + UNWIND_COPY);
	s->n++;
}

const struct parts_stack *parts_of(const struct unwind_parts *p, uint64_t number)
{
	const struct parts_stack *s = &p->stack[number % PARTS_STACKS];

	return s->number == number ? s : NULL;
}

bool parts_read(const void *arg, uint64_t addr, void *out, unsigned n)
{
	const struct parts_stack *s = arg;

	for (uint32_t i = 0; s && i < s->n; i++) {
		uint64_t off = addr - s->part[i]->addr, last = off + n - 1;

		if (addr < s->part[i]->addr || last >= UNWIND_COPY || !(s->part[i]->pages >> off / PAGE & 1) ||
		    !(s->part[i]->pages >> last / PAGE & 1))
			continue;
		memcpy(out, s->part[i]->stack + off, n);
		return true;
	}
	return false;
}

void parts_close(struct unwind_parts *p)
{
	for (unsigned i = 0; i < PARTS_STACKS; i++)
		for (unsigned k = 0; k < UNWIND_PARTS; k++)
			free(p->stack[i].part[k]);
	*p = (struct unwind_parts){ 0 };
}
