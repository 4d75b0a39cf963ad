/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The account of perf events: how long each was on its CPU, how many samples did not fit in the buffer, and when the
 * kernel throttled it. Private to the perf source.
 *
 * Lost or throttled firings of a thread must not be counted as time in the kernel. They are counted in `missed` of the
 * thread's family, and subtracted from the derived firings of its threads.
 *
 * Ownership: the source owns everything. Errors: none; a count that cannot be read is not added.
 */
#ifndef ENGINE_SAMPLE_PERF_ACCOUNT_H
#define ENGINE_SAMPLE_PERF_ACCOUNT_H

#include "engine/sample/perf_source.h"

/* The attr.read_format of sampling events. */
uint64_t perf_read_format(const struct perf_source *s);
void perf_account_open(struct perf_source *s);
/* Adds the counts of an event since the last reading. */
void perf_account_handle(struct perf_source *s, struct perf_handle *h);
void perf_account_all(struct perf_source *s);
/* Adds the CPUs of a thread that is being removed. */
void perf_account_parts(struct perf_source *s, const struct task *t);
/* Handle PERF_RECORD_THROTTLE and UNTHROTTLE, and PERF_RECORD_LOST. perf_account_lost returns the rate's index. */
void perf_account_throttle(struct perf_source *s, const struct perf_event_header *h, uint64_t time);
uint32_t perf_account_lost(struct perf_source *s, const struct perf_event_header *h);
/* After the stop: stores an item for a CPU that lost samples without a PERF_RECORD_LOST. Returns false if there is no
 * such CPU left. */
bool perf_account_unreported(struct perf_source *s, struct source_item *out);
/* Call this when the source starts (`begin`) or stops. */
void perf_account_turn(struct perf_source *s, bool begin);
/* Call this when the CPU of a ring came online. */
void perf_account_came(struct perf_source *s, unsigned ring);
/* Implements derived.missed. */
uint64_t perf_account_missed(void *arg, struct task *t, unsigned rate, uint64_t n);
/* See source_ops.account. */
bool perf_account(struct perf_source *s, unsigned rate, int cpu, struct source_account *out);

#endif
