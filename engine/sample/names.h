/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Resolves the addresses in a recording: with the symbols stored in it, else with those of the mapped files, if they
 * still have the recorded build IDs, and of the kernel, if the machine has not been rebooted since.
 *
 * Ownership: record_names_close releases everything (NULL is allowed). Errors: record_names_open returns NULL if memory
 * runs out. An address without a symbol is shown as a number.
 */
#ifndef ENGINE_SAMPLE_NAMES_H
#define ENGINE_SAMPLE_NAMES_H

#include "engine/run/format.h"
#include "engine/symbols/symbols.h"

struct record_names;

/* oom: see arena_init. */
struct record_names *record_names_open(void (*oom)(void *arg), void *oom_arg);
void record_names_close(struct record_names *n);
/* Adds the entries of a recording, in their order. */
void record_names_object(struct record_names *n, const struct record_object *o);
void record_names_function(struct record_names *n, const struct record_function *f);
/* Returns true if an address of the process changes its mapping at m->since. */
bool record_names_map(struct record_names *n, const struct record_map *m);
void record_names_symbol(void *n, const struct record_symbol *s);
/* Uses /proc/kallsyms for kernel symbols, because the recording is from the current boot. */
void record_names_kernel(struct record_names *n);
/* A process was forked with its parent's mappings, or executed a program (mapped: the first mapping of the program has
 * already been added; otherwise it follows). time: ns. */
void record_names_fork(struct record_names *n, uint32_t pid, uint32_t parent, uint64_t time);
void record_names_exec(struct record_names *n, uint32_t pid, uint64_t time, bool mapped);

extern const struct symbol_ops record_symbol_ops;	/* arg is the struct record_names */

#endif
