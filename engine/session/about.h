/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fills in struct run_about for a session. Ownership: plain data. Errors: none. */
#ifndef ENGINE_SESSION_ABOUT_H
#define ENGINE_SESSION_ABOUT_H

#include "engine/run/about.h"

struct dtr;

/* Fills in t->about, after the engine is open and before it runs anything. */
void about_begin(struct dtr *t);
/* Copies t->about, with the current time in out->now. */
void about_get(const struct dtr *t, struct run_about *out);

#endif
