/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What this session is about (engine/run/about.h). Ownership: plain data. Errors: none. */
#ifndef ENGINE_SESSION_ABOUT_H
#define ENGINE_SESSION_ABOUT_H

#include "engine/run/about.h"

struct dtr;

/* Once the engine is open, before it runs anything: what is known then goes into t->about. */
void about_begin(struct dtr *t);
/* t->about, with the time that it is now. */
void about_get(const struct dtr *t, struct run_about *out);

#endif
