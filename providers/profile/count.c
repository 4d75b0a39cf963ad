/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Passes changes of the perf events on to the account of firings. */
#include "providers/profile/timer.h"

static void pass_change(void *arg, const struct perf_change *n)
{
	struct timer *t = arg;

	t->env->changed(t->env, n);
}

void count_listen(struct timer *t)
{
	t->events.changed = t->env->changed && source_is_clock(t->env->clock_source) ? pass_change : NULL;
	t->events.changed_arg = t;
}
