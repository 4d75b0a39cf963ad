/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/run/account.h"

#include <inttypes.h>

#include "base/interval.h"

static const struct { const char *name, *text; } losses[DTR_NSTACK_LOSSES] = {
	[DTR_STACK_BROKEN] = { "broken", "without usable tables" },
	[DTR_STACK_INVALID] = { "invalid", "with an invalid return address" },
	[DTR_STACK_UNREADABLE] = { "unreadable", "in memory that could not be read" },
	[DTR_STACK_LONG] = { "long", "longer than the copied part" },
	[DTR_STACK_MANY] = { "many", "too many before tables were loaded" },
	[DTR_STACK_ELSEWHERE] = { "elsewhere", "on several stacks" },
	[DTR_STACK_DROPPED] = { "dropped", "too many to keep until they are shown" },
	[DTR_STACK_NESTED] = { "nested", "while other stacks of the CPU were walked" },
};

const char *stack_loss_name(enum dtr_stack_loss cause)
{
	return losses[cause].name;
}

uint64_t stacks_lacking(const struct dtr_stacks *n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < DTR_NSTACK_LOSSES; i++)
		sum += n->lacking[i];
	return sum;
}

double thinned_error(const struct dtr_thinned *t)
{
	return t->squares > t->firings ? interval_root((double)(t->squares - t->firings)) : 0;
}

void stacks_text(const struct dtr_stacks *n, struct buf *out)
{
	const char *comma = "";

	for (unsigned i = 0; i < DTR_NSTACK_LOSSES; i++)
		if (n->lacking[i]) {
			buf_printf(out, "%s%" PRIu64 " %s", comma, n->lacking[i], losses[i].text);
			comma = ", ";
		}
}
