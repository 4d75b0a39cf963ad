/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In which processes a probe fires. Usually only in the process that its description names. With -x followfork also in
 * the processes that this one creates, and in theirs: its family. Then a table, a GLOBAL object of the program, has the
 * number of its family for each process ID. The engine's programs add a process when it is created, before it runs, and
 * remove it when it ends. Links cannot do this, so they are attached in all processes.
 *
 * Ownership: the probe set and the program. Errors: none.
 */
#ifndef PROVIDERS_FAMILY_H
#define PROVIDERS_FAMILY_H

#include "providers/provider.h"

/* The table: a uint16_t for each process ID; 0: the process belongs to no family. */
#define FAMILY_OBJECT "followfork"
/* Process IDs on Linux are smaller. */
enum { FAMILY_PIDS = 1 << 22 };

/* What family_check compares for probes of this process: its ID, or the number of its family, from 1. */
int64_t family_word(struct probe_set *s, int64_t pid);
/* The process ID with which a file's links are attached (struct uprobe_want.pid). */
int family_link(const struct probe_set *s, int64_t pid);
/* Emits code that jumps to `skip` unless the current process is meant by `want`, a family_word. */
void family_check(struct ir_builder *b, const struct probe_set *s, struct ir_arg want, uint32_t skip);

#endif
