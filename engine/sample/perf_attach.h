/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events of a source: opens them for threads and tracks inheritance. Private to the perf source.
 *
 * A thread that is found running gets its own events. Threads that it creates later inherit them, and the kernel
 * reports that (PERF_RECORD_FORK). A thread created while events were opened for its parent may have inherited all,
 * some or none of them. It gets its own events, too; they are closed if a sample shows that the thread has inherited
 * events.
 *
 * Ownership: the source owns its descriptors until source_perf.close.
 * Errors: functions that open events return -errno.
 */
#ifndef ENGINE_SAMPLE_PERF_ATTACH_H
#define ENGINE_SAMPLE_PERF_ATTACH_H

#include "engine/sample/perf_source.h"

/* Opens events for one thread. Also succeeds if the thread has just ended. */
int perf_follow(struct perf_source *s, uint32_t pid, uint32_t tid);
/* Opens events for all threads of the target that have none. */
void perf_follow_all(struct perf_source *s);
/* Updates s->unseen. */
void perf_unseen_update(struct perf_source *s);
/* Opens events for all CPUs. Returns 0, or -errno if this is not allowed. */
int perf_follow_cpus(struct perf_source *s);
/* Call this periodically: opens a ring and events for CPUs that came online. */
void perf_follow_online(struct perf_source *s);
/* Closes a thread's own events, because it has inherited others. */
void perf_unfollow(struct perf_source *s, struct task *t);
/* Makes the thread a member of the family whose events it has inherited (NULL: none). */
void perf_join(struct perf_source *s, struct task *t, struct perf_family *f);
/* Estimates the run times of ended threads that had no counter: the counts of the family's events, less the known run
 * times, are distributed among these threads in proportion to their lifetimes. */
void perf_settle(void *arg);
int perf_enable_all(struct perf_source *s, bool on);

#endif
