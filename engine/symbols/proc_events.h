/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Process events from the kernel (fork, exec, mappings of code, exit), through a dummy perf event on each CPU.
 * Ownership: proc_events_close releases everything; NULL is allowed. Errors: proc_events_open returns -errno.
 */
#ifndef ENGINE_SYMBOLS_PROC_EVENTS_H
#define ENGINE_SYMBOLS_PROC_EVENTS_H

#include "engine/symbols/maps.h"

struct proc_events;

int proc_events_open(struct proc_events **out);
void proc_events_close(struct proc_events *e);
/* Applies all new events to *m, in order of time. */
void proc_events_read(struct proc_events *e, struct maps *m);
/* Call this periodically: it opens rings for CPUs that came online. It may apply events to *m. */
void proc_events_refresh(struct proc_events *e, struct maps *m);
/* Stores the descriptor of CPU i's ring, which is readable when there are many new events; -1: it has none. Returns
 * false after the last CPU. */
bool proc_events_fd(const struct proc_events *e, unsigned i, int *fd);
/* Returns how many events the kernel could not deliver. */
uint64_t proc_events_lost(const struct proc_events *e);

#endif
