/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compiles the texts of a script with the options of the session.
 * Ownership: the session's arena. Errors: -1 after a message.
 */
#ifndef ENGINE_SESSION_COMPILE_H
#define ENGINE_SESSION_COMPILE_H

#include "engine/session/session.h"

/* Compiles the texts up to a stage, from where the compilation was. Returns 0, or -1 after messages. */
int session_compile(struct dtr *t, enum compile_stage last);

#endif
