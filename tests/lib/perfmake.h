/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small file as perf record writes it: a process of two threads, one of which is called "worker", with a mapping, a
 * child, samples of both modes with call chains out of order of time, lost samples, a build ID.
 * Who owns what: the caller's buffer. What can fail: memory (buf->failed).
 */
#ifndef TESTS_LIB_PERFMAKE_H
#define TESTS_LIB_PERFMAKE_H

#include <stdbool.h>

#include "base/buf.h"

enum { PERFMAKE_SAMPLES = 10, PERFMAKE_LOST = 3, PERFMAKE_HZ = 997 };

void perfmake(struct buf *out);
/* The same as it goes into a pipe; pack: as -z does it, in two pieces which divide a record. */
void perfmake_pipe(struct buf *out, bool pack);

#endif
