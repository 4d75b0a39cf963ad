/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Process events from the kernel (fork, exec, mappings of code, exit), through a dummy perf event on each CPU.
 * Ownership: life_close releases everything; NULL is allowed. Errors: life_open returns -errno.
 */
#ifndef ENGINE_SYMBOLS_LIFE_H
#define ENGINE_SYMBOLS_LIFE_H

#include "engine/symbols/maps.h"

struct life;

int life_open(struct life **out);
void life_close(struct life *w);
/* Applies all new events to *m, in order of time. */
void life_read(struct life *w, struct maps *m);
/* Called periodically: adds CPUs that came online. */
void life_refresh(struct life *w);
uint64_t life_lost(const struct life *w);

#endif
