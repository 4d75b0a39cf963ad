/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fills in what printers show about a run (struct run_about). Ownership: plain data. Errors: none. */
#ifndef ENGINE_SESSION_ABOUT_H
#define ENGINE_SESSION_ABOUT_H

#include "engine/session/session.h"

/* After the engine is open and before it runs anything: fills in t->output.about. */
void about_begin(struct dtr *t);
/* Sets the current time in it. */
void about_end(struct dtr *t);

#endif
