/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/number_set.h"

#include <stdlib.h>

static struct number_pair *slot_of(const struct number_set *s, uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ (b << 32 | b >> 32)) * 0x9e3779b97f4a7c15;
	size_t at = (h ^ h >> 32) & (s->slots - 1);

	while (s->v[at].a && (s->v[at].a != a || s->v[at].b != b))
		at = (at + 1) & (s->slots - 1);
	return &s->v[at];
}

static bool set_grow(struct number_set *s)
{
	struct number_set bigger = { 0 };

	if (s->n >= NUMBER_SET_MAX)
		number_set_free(s);
	bigger.slots = s->slots ? 2 * s->slots : 1024;
	bigger.v = calloc(bigger.slots, sizeof *bigger.v);
	if (!bigger.v)
		return false;
	for (size_t i = 0; i < s->slots; i++)
		if (s->v[i].a)
			*slot_of(&bigger, s->v[i].a, s->v[i].b) = s->v[i];
	bigger.n = s->n;
	free(s->v);
	*s = bigger;
	return true;
}

bool number_set_add(struct number_set *s, uint64_t a, uint64_t b)
{
	struct number_pair *p;

	if (2 * s->n >= s->slots && !set_grow(s))
		return false;
	p = slot_of(s, a, b);
	if (p->a)
		return false;
	*p = (struct number_pair){ a, b };
	s->n++;
	return true;
}

void number_set_free(struct number_set *s)
{
	free(s->v);
	*s = (struct number_set){ 0 };
}
