/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shows arguments and results of system calls as text.
 * Ownership: the caller's. Errors: no memory (buf->failed).
 */
#ifndef CMD_DTR_TRACE_DECODE_H
#define CMD_DTR_TRACE_DECODE_H

#include "cmd/dtr/trace/value.h"

/* Whether the call uses argument i: openat() without O_CREAT has no mode. */
bool decode_uses(const struct decode *d, unsigned i);
/* The number of the last argument that the call uses, plus 1. */
unsigned decode_count(const struct decode *d);
/* Appends argument i, without a name. */
void decode_arg(struct buf *b, const struct decode *d, unsigned i);
/* Appends the result: "3", "0x7f..", "-1 ENOENT (No such file or directory)". */
void decode_result(struct buf *b, const struct decode *d);
/* The name of an error ("ENOENT"), also of those that only the kernel uses; NULL: unknown. */
const char *decode_error(int64_t e);
bool decode_failed(int64_t result);

#endif
