/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr trace -C`: a table of the calls, from the aggregations @calls, @ns and @errors of the script.
 * Ownership: the arena. Errors: -1 after a message of the session.
 */
#ifndef CMD_DTR_TRACE_SUMMARY_H
#define CMD_DTR_TRACE_SUMMARY_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/dtr.h"

int trace_summary(struct buf *out, struct arena *a, struct dtr *t, bool json);

#endif
