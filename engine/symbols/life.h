/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Notes of the kernel about processes: fork, exec, mappings of code, exit, by a perf event on each CPU that counts nothing.
 * Ownership: life_close gives everything back; NULL is fine. Errors: opening (-errno).
 */
#ifndef ENGINE_SYMBOLS_LIFE_H
#define ENGINE_SYMBOLS_LIFE_H

#include "engine/symbols/maps.h"

struct life;

int life_open(struct life **out);
void life_close(struct life *w);
/* Takes all notes in, in order of time. */
void life_read(struct life *w, struct maps *m);
/* From time to time: CPUs that have come online since. */
void life_refresh(struct life *w);
uint64_t life_lost(const struct life *w);

#endif
