/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The account of perf events: how long each was on its CPU, how many samples did not fit in the buffer, and when the
 * kernel throttled it. Private to the perf source.
 *
 * Lost or throttled firings of a thread must not be taken for time in the kernel. They are counted as missed, by
 * family, and subtracted from the derived firings of its threads.
 *
 * Ownership: the source owns everything. Errors: none; a count that cannot be read is not added.
 */
#ifndef ENGINE_SAMPLE_PERF_ACCOUNT_H
#define ENGINE_SAMPLE_PERF_ACCOUNT_H

#include "engine/sample/perf_source.h"

/* The attr.read_format for events of a rate. */
uint64_t perf_read_format(const struct perf_source *s);
void perf_account_open(struct perf_source *s);
/* Adds the counts of an event since the last reading. */
void perf_account_handle(struct perf_source *s, struct perf_handle *h);
void perf_account_all(struct perf_source *s);
/* Called when a thread is removed. */
void perf_account_parts(struct perf_source *s, const struct task *t);
/* Handle PERF_RECORD_THROTTLE and UNTHROTTLE; PERF_RECORD_LOST. */
void perf_account_throttle(struct perf_source *s, const struct perf_event_header *h, uint64_t time);
/* Returns the number of its rate. */
uint32_t perf_account_lost(struct perf_source *s, const struct perf_event_header *h);
/* After the stop: stores an item for a CPU that lost samples without a PERF_RECORD_LOST. Returns false if none is
 * left. */
bool perf_account_unreported(struct perf_source *s, struct source_item *out);
/* Called when the source stops, or (begin) starts. */
void perf_account_turn(struct perf_source *s, bool begin);
/* Called when the CPU of a ring came online. */
void perf_account_came(struct perf_source *s, unsigned ring);
/* Implements derived.missed. */
uint64_t perf_account_missed(void *arg, struct task *t, unsigned rate, uint64_t n);
/* See source_ops.account. */
bool perf_account(struct perf_source *s, unsigned rate, int cpu, struct source_account *out);

#endif
