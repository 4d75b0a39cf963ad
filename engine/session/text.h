/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Script texts from the command line: -s files, and the arguments of -n -P -m -f -i.
 * Ownership: the session's arena. Errors: NULL after a message if a file cannot be read.
 */
#ifndef ENGINE_SESSION_TEXT_H
#define ENGINE_SESSION_TEXT_H

#include "engine/session/session.h"

struct script_text {
	struct source src;
	const char *kind, *name;	/* its name in messages: "description" 'profile-97', "script" 'x.d' */
};

struct script_text *text_from_argument(struct dtr *t, const char *text, enum source_spec spec);
/* A text that this program has written, which stays valid. */
struct script_text *text_named(struct dtr *t, const char *text, const char *name);
/* name: in messages; NULL: the path. */
struct script_text *text_from_file(struct dtr *t, const char *path, const char *name);
/* Appends what the user gave: without preprocessing, libraries and arguments. */
void texts_print(const struct dtr *t, struct buf *out);

#endif
