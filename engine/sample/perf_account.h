/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What perf events themselves say of how true their samples are: how long each was on its CPU, how many samples found the
 * buffer full, when the kernel held it back. Private to the perf source.
 *
 * A thread's firings that were lost, or held back, must not be taken for time in the kernel: they are known as missed, by
 * family, and what its threads are owed is taken from there first.
 *
 * Ownership: the source owns all. Errors: none; what cannot be read
 * is not counted.
 */
#ifndef ENGINE_SAMPLE_PERF_ACCOUNT_H
#define ENGINE_SAMPLE_PERF_ACCOUNT_H

#include "engine/sample/perf_attach.h"

/* What of its counts an event of a rate is to tell (attr.read_format). */
uint64_t perf_read_format(const struct sample_source *s);
void perf_account_open(struct sample_source *s);
/* Adds what the event has counted since it was read last. */
void perf_account_handle(struct sample_source *s, struct perf_handle *h);
void perf_account_all(struct sample_source *s);
/* The thread is forgotten. */
void perf_account_parts(struct sample_source *s, const struct task *t);
/* PERF_RECORD_THROTTLE and UNTHROTTLE, PERF_RECORD_LOST. */
void perf_account_throttle(struct sample_source *s, const struct perf_event_header *h, uint64_t time);
/* Returns its rate. */
uint32_t perf_account_lost(struct sample_source *s, const struct perf_event_header *h);
/* A CPU on which samples were lost of which no record has told so far. Once the source was stopped. */
bool perf_account_untold(struct sample_source *s, struct source_item *out);
/* The source stops, or (begin) starts. */
void perf_account_turn(struct sample_source *s, bool begin);
/* The CPU of a ring has come online. */
void perf_account_came(struct sample_source *s, unsigned ring);
/* owed.missed */
uint64_t perf_account_missed(void *arg, struct task *t, unsigned rate, uint64_t n);
bool perf_account(struct sample_source *s, unsigned rate, int cpu, struct source_account *out);

#endif
