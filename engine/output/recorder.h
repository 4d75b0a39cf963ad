/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The session's part of recording and querying. A session can write a recording instead of text: it runs a generated
 * script (one probe that records everything) in either engine, and a printer that packs samples into blocks. For a
 * query, the recording is a source of samples of the rootless engine.
 *
 * Ownership: the session's arena owns a recorder; recorder_close releases the rest (idempotent).
 * Errors: see dtr_record and dtr_replay in engine/session/dtr.h.
 */
#ifndef ENGINE_OUTPUT_RECORDER_H
#define ENGINE_OUTPUT_RECORDER_H

#include "engine/session/session.h"

void recorder_close(struct dtr *t);
/* After a recording was read: reports what it says about itself. */
void recorder_tell(struct dtr *t);

#endif
