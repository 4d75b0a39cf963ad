/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Script texts from the command line: -s files, and the arguments of -n -P -m -f -i.
 * Ownership: the session's arena. Errors: NULL after a message if a file cannot be read.
 */
#ifndef ENGINE_SESSION_TEXT_H
#define ENGINE_SESSION_TEXT_H

#include "engine/session/session.h"

struct text *text_from_argument(struct dtr *t, const char *text, const char *what);
struct text *text_from_file(struct dtr *t, const char *path);

#endif
