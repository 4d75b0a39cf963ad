/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/captures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"

enum { MOST_BYTES = 16 << 20 };

int captures_open(struct captures *c, uint64_t *lost, unsigned nrates)
{
	*c = (struct captures){ .last = &c->first, .lost = lost, .nrates = nrates, .most = MOST_BYTES };
	pthread_mutex_init(&c->lock, NULL);
	c->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return c->fd < 0 ? -errno : 0;
}

void captures_close(struct captures *c)
{
	while (c->first) {
		struct captured *next = c->first->next;

		free(c->first);
		c->first = next;
	}
	free(c->given);
	c->given = NULL;
	if (!c->last)
		return;
	if (c->fd >= 0)
		close(c->fd);
	pthread_mutex_destroy(&c->lock);
	c->last = NULL;
}

struct captured *capture_new(size_t n)
{
	struct captured *x = calloc(1, sizeof *x + n);

	if (x)
		x->bytes = sizeof *x + n;
	return x;
}

void captures_put(struct captures *c, struct captured *x, unsigned rate)
{
	uint64_t one = 1, weight = x && x->item.sample.weight ? x->item.sample.weight : 1;
	bool fits;

	pthread_mutex_lock(&c->lock);
	fits = x && c->bytes + x->bytes <= (rate < c->nrates ? 1 : 2) * c->most;
	if (fits) {
		c->bytes += x->bytes;
		*c->last = x;
		c->last = &x->next;
	} else if (rate < c->nrates) {
		c->lost[rate] += weight;
	} else {
		c->lost_events++;
	}
	pthread_mutex_unlock(&c->lock);
	if (!fits)
		free(x);
	while (write(c->fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

/* Reports what was lost, before the next item. */
static bool lost_next(struct captures *c, struct source_item *out)
{
	for (unsigned i = 0; i < c->nrates; i++) {
		if (!c->lost[i])
			continue;
		*out = (struct source_item){ .kind = SOURCE_LOST, .lost = c->lost[i] };
		out->sample.rate = i;
		out->sample.time = c->first ? c->first->item.sample.time : clock_now();
		c->lost[i] = 0;
		return true;
	}
	return false;
}

static void item_give(struct captured *x, struct source_item *out)
{
	struct sample *s = &x->item.sample;

	if (s->task)
		s->task = &x->task;
	if (s->start.bits) {
		s->start.regs = (const uint8_t *)x->regs;
		s->start.stack = (const uint8_t *)x->data;
	}
	if (s->uregs.n)
		s->uregs.pc = x->words;
	if (x->item.kind == SOURCE_MAP)
		x->item.mapping.path = x->data;
	*out = x->item;
}

bool captures_next(struct captures *c, struct source_item *out)
{
	struct captured *x;
	uint64_t n;
	bool lost;

	free(c->given);
	c->given = NULL;
	pthread_mutex_lock(&c->lock);
	lost = lost_next(c, out);
	x = lost ? NULL : c->first;
	if (x) {
		c->first = x->next;
		if (!c->first)
			c->last = &c->first;
		c->bytes -= x->bytes;
	} else if (!lost && read(c->fd, &n, sizeof n) < 0) {
		n = 0;		/* it was not readable */
	}
	pthread_mutex_unlock(&c->lock);
	if (x)
		item_give(x, out);
	c->given = x;
	return lost || x;
}
