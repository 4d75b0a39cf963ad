/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations in files: -x aggsave writes them, `dtr merge` and `dtr diff` read them (see engine/session/dtr.h).
 * Ownership: the session's arena and the caller's sets. Errors: files and memory; reported in a message.
 */
#ifndef ENGINE_OUTPUT_SAVED_H
#define ENGINE_OUTPUT_SAVED_H

#include "engine/session/session.h"

/* Appends the text of the script whose aggregations these are. */
void saved_program(const struct dtr *t, struct buf *out);
/* Before tracing: checks that the file of -x aggsave can be written. Returns 0, or -1 after a message. */
int saved_check(struct dtr *t);
/* At the end, after all aggregations have been read: writes them. Returns 0, or -1 after a message. */
int saved_write(struct dtr *t);

#endif
