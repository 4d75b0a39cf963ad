/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kept sessions for users of the library. */
#include "engine/run/kept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/session/order.h"
#include "engine/session/session.h"

void dtr_keep(struct dtr *t, const struct dtr_kept_args *args)
{
	if (!order_allows(t, CALL_dtr_keep) || !order_given(t, CALL_dtr_keep, args, "the description"))
		return;
	t->kept = *args;
	session_use(t, &backend_kept, &t->kept);
}

bool dtr_kept_name_valid(const char *name)
{
	return kept_name_valid(name);
}

int dtr_kept_open(struct dtr_kept **out, const char *name, char *reason)
{
	struct dtr_kept *k = malloc(sizeof *k);
	int r;

	*out = NULL;
	if (!k) {
		snprintf(reason, DTR_KEPT_REASON, "out of memory");
		return -ENOMEM;
	}
	r = kept_open(k, name, reason);
	if (r) {
		kept_close(k);
		free(k);
		return r;
	}
	*out = k;
	return 0;
}

void dtr_kept_close(struct dtr_kept *k)
{
	if (k)
		kept_close(k);
	free(k);
}

const struct dtr_kept_about *dtr_kept_about(const struct dtr_kept *k)
{
	return kept_about(k);
}

void dtr_kept_state(const struct dtr_kept *k, struct dtr_kept_state *out)
{
	kept_state(k, out);
}

int dtr_kept_stop(struct dtr_kept *k, char *reason)
{
	return kept_stop(k, reason);
}

int dtr_kept_reset(struct dtr_kept *k, char *reason)
{
	return kept_reset(k, reason);
}

int dtr_kept_remove(struct dtr_kept *k, char *reason)
{
	return kept_remove(k, reason);
}

int dtr_kept_each(void (*fn)(void *arg, const char *name, const struct dtr_kept_about *about,
			     const struct dtr_kept_state *s), void *arg, char *reason)
{
	return kept_each(fn, arg, reason);
}
