/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The order in which a program may call the functions of engine/dtr.h: each function that depends on it begins with
 * order_allows().
 *
 * Ownership: none. Errors: see each function.
 */
#ifndef ENGINE_SESSION_ORDER_H
#define ENGINE_SESSION_ORDER_H

#include <stdbool.h>

struct dtr;

enum order_call {
#define CALL(function, stages) CALL_##function,
#include "engine/session/order.def"
};

/* Whether the function may be called now, by this process. Otherwise returns false after a message that says what has
 * to be called first, or that it is too late. */
bool order_allows(struct dtr *t, enum order_call call);
/* Returns true if an argument is there; otherwise false after a message. argument: "the name". */
bool order_given(struct dtr *t, enum order_call call, const void *value, const char *argument);
/* Whether this process has opened the session, and is not a fork of that process. Async-signal-safe. */
bool order_is_owner(const struct dtr *t);

#endif
