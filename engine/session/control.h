/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Actions that the consumer carries out when their record's turn comes: system(), freopen(), ftruncate(), setopt().
 * Ownership: the session keeps the first output while freopen() has put another in its place; control_restore
 * (idempotent) brings it back. Errors: each of them, which is told and hurts nothing else.
 */
#ifndef ENGINE_SESSION_CONTROL_H
#define ENGINE_SESSION_CONTROL_H

#include "engine/session/session.h"

/* False: it is another action. */
bool control_run(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a);
void control_restore(struct dtr *t);

#endif
