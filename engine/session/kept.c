/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kept sessions for users of the library. The other functions are in engine/bpf/kept.c. */
#include "engine/run/backend.h"
#include "engine/session/order.h"
#include "engine/session/session.h"

void dtr_keep(struct dtr *t, const struct dtr_kept_args *args)
{
	if (!order_allows(t, CALL_dtr_keep) || !order_given(t, CALL_dtr_keep, args, "the description"))
		return;
	t->kept = *args;
	session_use(t, &backend_kept, &t->kept);
}
