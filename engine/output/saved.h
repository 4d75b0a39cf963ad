/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations in files: -x aggsave writes them, `dtr merge` and `dtr diff` read them (see engine/session/dtr.h).
 * Who owns what: the session's arena and the caller's sets. What can fail: files, memory; it is told in a message.
 */
#ifndef ENGINE_OUTPUT_SAVED_H
#define ENGINE_OUTPUT_SAVED_H

#include "engine/session/session.h"

/* The text of the script that the aggregations are of. */
void saved_program(const struct dtr *t, struct buf *out);
/* Before tracing: could the file of -x aggsave be written? -1 after saying why not. */
int saved_check(struct dtr *t);
/* At the end, all aggregations having been read: writes them. -1 after saying why not. */
int saved_write(struct dtr *t);

#endif
