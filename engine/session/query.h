/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs scripts on recordings. Ownership: query_close closes the file (idempotent). Errors: reported. */
#ifndef ENGINE_SESSION_QUERY_H
#define ENGINE_SESSION_QUERY_H

#include "engine/sample/source.h"
#include "engine/session/session.h"

/* Stores the properties of a recording. Returns false after a message: it cannot be read. */
bool query_past(struct dtr *t, struct recording_file *file, struct source_past *out);
/* After a recording was read: reports damage. */
void query_report(struct dtr *t);
void query_close(struct dtr *t);

#endif
