/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shows a running session as metrics and pictures (dtr_page, dtr_profile_added).
 * Ownership: the session owns the tables. Errors: see dtr.h.
 */
#ifndef ENGINE_SESSION_PAGES_H
#define ENGINE_SESSION_PAGES_H

#include "engine/session/session.h"

/* Idempotent. */
void pages_close(struct dtr *t);

#endif
