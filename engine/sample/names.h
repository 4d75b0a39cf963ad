/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of the addresses of a recording: those that it has itself, written when it ended; else those of the files that were
 * mapped, if they still have the build IDs that were recorded, and of the kernel, if it is still the same boot.
 *
 * Ownership: record_names_close gives everything back (NULL is fine). Errors: opening (NULL: no memory). What has
 * no name stays an address.
 */
#ifndef ENGINE_SAMPLE_NAMES_H
#define ENGINE_SAMPLE_NAMES_H

#include "engine/run/format.h"
#include "engine/symbols/symbols.h"

struct record_names;

/* oom: as an arena's. */
struct record_names *record_names_open(void (*oom)(void *arg), void *oom_arg);
void record_names_close(struct record_names *n);
/* What a recording tells, as it comes. */
void record_names_object(struct record_names *n, const struct record_object *o);
/* True: from m->since on some address of the process means something else than before. */
bool record_names_map(struct record_names *n, const struct record_map *m);
void record_names_symbol(void *n, const struct record_symbol *s);
/* Its kernel is the one that runs here: /proc/kallsyms has its names. */
void record_names_kernel(struct record_names *n);
/* A process began with what its parent has mapped; runs another program, whose first mapping is still to come (mapped:
 * which began at that time). */
void record_names_fork(struct record_names *n, uint32_t pid, uint32_t parent, uint64_t time);
void record_names_exec(struct record_names *n, uint32_t pid, uint64_t time, bool mapped);

extern const struct symbol_ops record_symbol_ops;	/* arg: struct record_names * */

#endif
