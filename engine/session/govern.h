/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -x maxcost in a session. Ownership: none. Errors: govern_check returns -1 after a message.
 */
#ifndef ENGINE_SESSION_GOVERN_H
#define ENGINE_SESSION_GOVERN_H

#include "engine/session/session.h"

/* Refuses maxcost where firings cannot be thinned: recordings, options that need every firing. */
int govern_check(struct dtr *t);
/* Thins firings if tracing costs too much, or ends the session if that is not possible. Call it after start. */
void govern_pass(struct dtr *t);
/* The longest time, ns, until the next pass; at most `timeout`. */
uint64_t govern_patience(const struct dtr *t, uint64_t timeout);
/* After disarm: reports which firings were thinned. */
void govern_report(struct dtr *t);

#endif
