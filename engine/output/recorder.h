/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recording and asking, the session's side. A recording is what a session writes instead of text: its script is made here
 * (one probe that records everything), its printer puts samples into blocks, and either engine runs it. A recording that
 * is asked is a source of samples of the rootless engine.
 *
 * Who owns what: the session's arena owns a recorder; recorder_close gives the rest back (idempotent).
 * What can fail: see dtr_record and dtr_replay in engine/session/dtr.h.
 */
#ifndef ENGINE_OUTPUT_RECORDER_H
#define ENGINE_OUTPUT_RECORDER_H

#include "engine/session/session.h"

void recorder_close(struct dtr *t);
/* What the file that was asked says about itself; told once it was read. */
void recorder_tell(struct dtr *t);

#endif
