/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes a small file in the format of perf record: a process of two threads, one named "worker", with a mapping, a
 * child, unordered samples of both modes with call chains, lost samples, a build ID.
 * Who owns what: the caller's buffer. What can fail: memory (buf->failed).
 */
#ifndef TESTS_LIB_PERFMAKE_H
#define TESTS_LIB_PERFMAKE_H

#include <stdbool.h>

#include "base/buf.h"

enum { PERFMAKE_SAMPLES = 10, PERFMAKE_LOST = 3, PERFMAKE_HZ = 997 };

void perfmake(struct buf *out);
/* The same in the format for pipes; pack: compressed as with -z, in two pieces that split a record. */
void perfmake_pipe(struct buf *out, bool pack);

#endif
