/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Actions that the consumer performs when it processes their record: system(), freopen(), ftruncate(), setopt().
 * Ownership: nothing is kept.
 * Errors: an action that fails is reported and has no other effect.
 */
#ifndef ENGINE_SESSION_CONTROL_H
#define ENGINE_SESSION_CONTROL_H

#include "engine/session/session.h"

/* True if the action needs the output of all earlier actions to be written. */
bool control_needs_flush(const struct rec_act *a);
/* Performs an action of this file. Returns false if it is another one. */
bool control_run(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a);

#endif
