/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr trace -C`: a table of the calls, from the aggregations @calls, @ns and @errors of the script.
 * Ownership: the arena. Errors: -1 after a message of the session.
 */
#ifndef CMD_DTR_TRACE_SUMMARY_H
#define CMD_DTR_TRACE_SUMMARY_H

#include "base/buf.h"
#include "cmd/dtr/trace/options.h"
#include "engine/dtr.h"

/* executed: also the execve() that began the command, which the script has not seen, with a time of 0. */
int trace_summary(struct buf *out, const struct trace_options *o, struct dtr *t, bool executed);

#endif
