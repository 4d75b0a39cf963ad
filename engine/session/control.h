/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Actions that the consumer performs when it processes their record: system(), freopen(), ftruncate(), setopt().
 * Ownership: the session keeps the original output while freopen() replaces it; control_restore (idempotent) restores
 * it.
 * Errors: an action that fails is reported and has no other effect.
 */
#ifndef ENGINE_SESSION_CONTROL_H
#define ENGINE_SESSION_CONTROL_H

#include "engine/session/session.h"

/* Performs an action of this file. Returns false if it is another one. */
bool control_run(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a);
void control_restore(struct dtr *t);

#endif
