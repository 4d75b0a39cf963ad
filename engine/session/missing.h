/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports at the end of a session which data was not available: symbols, samples, stacks.
 * Ownership: nothing is kept. Errors: none; the session fails if memory was missing.
 */
#ifndef ENGINE_SESSION_MISSING_H
#define ENGINE_SESSION_MISSING_H

#include "engine/session/session.h"

void missing_report(struct dtr *t);

#endif
