/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Firings that the kernel has kept back. A user without privilege gets no sample of the kernel's code: where a timer
 * expires there, nothing is written. But how long a thread has run is no secret. Time / interval less the samples is what
 * fell into the kernel; it is handed out some time later, as firings in the kernel at an address that is not known.
 *
 * A thread that ends leaves a part of an interval. These parts add up over all threads that end, so that a thousand
 * processes that each run for half an interval get their five hundred firings.
 *
 * Who owns what: the source owns all. What can fail: nothing; a time that cannot be read is read later.
 */
#ifndef ENGINE_USER_PERF_OWED_H
#define ENGINE_USER_PERF_OWED_H

#include "engine/user/perf_attach.h"

/* What has run before the start owes nothing. */
void owed_begin(struct sample_source *s);
/* Reads the times, before the samples that belong to them are taken. */
void owed_read(struct sample_source *s, uint64_t now);
/* A thread with inherited events has run for `ns` on one CPU, and has ended. */
void owed_ended(struct sample_source *s, uint32_t tid, uint64_t ns);
/* The next firing that is owed. False: there is none. */
bool owed_next(struct sample_source *s, struct source_item *out);
/* Reads /proc for what a sample says of its thread, if that is old. */
void owed_refresh_task(struct task *t, uint64_t now);

#endif
