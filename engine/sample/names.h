/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Symbols for the addresses of a recording: those stored in it; else those of the mapped files, if they still have the
 * recorded build IDs, and of the kernel, if this is still the recorded boot.
 *
 * Ownership: record_names_close releases everything (NULL is allowed). Errors: record_names_open returns NULL without
 * memory. An address without a symbol is shown as a number.
 */
#ifndef ENGINE_SAMPLE_NAMES_H
#define ENGINE_SAMPLE_NAMES_H

#include "engine/run/format.h"
#include "engine/symbols/symbols.h"

struct record_names;

/* oom: see arena_init. */
struct record_names *record_names_open(void (*oom)(void *arg), void *oom_arg);
void record_names_close(struct record_names *n);
/* Entries of a recording, in their order. */
void record_names_object(struct record_names *n, const struct record_object *o);
/* Returns true if the mapping changes the meaning of an address of the process from m->since on. */
bool record_names_map(struct record_names *n, const struct record_map *m);
void record_names_symbol(void *n, const struct record_symbol *s);
/* The recorded boot is the running one: kernel symbols come from /proc/kallsyms. */
void record_names_kernel(struct record_names *n);
/* A process was forked with its parent's mappings; it executed a program, whose first mapping is still to come (mapped:
 * already came). time: ns. */
void record_names_fork(struct record_names *n, uint32_t pid, uint32_t parent, uint64_t time);
void record_names_exec(struct record_names *n, uint32_t pid, uint64_t time, bool mapped);

extern const struct symbol_ops record_symbol_ops;	/* arg is the struct record_names */

#endif
