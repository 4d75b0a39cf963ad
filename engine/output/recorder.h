/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session can write a recording instead of text: it runs a generated script (one probe that records everything) in
 * either engine, with a printer that packs samples into blocks.
 *
 * Ownership: the session's arena owns a recorder; recorder_close releases the rest (idempotent).
 * Errors: see dtr_record in engine/session/dtr.h.
 */
#ifndef ENGINE_OUTPUT_RECORDER_H
#define ENGINE_OUTPUT_RECORDER_H

#include "engine/session/session.h"

void recorder_close(struct dtr *t);

#endif
