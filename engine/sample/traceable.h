/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * May ptrace(2) trace the target, and who traces it already? Ownership: none. Errors: see traceable_check.
 */
#ifndef ENGINE_SAMPLE_TRACEABLE_H
#define ENGINE_SAMPLE_TRACEABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_want;

/* Returns 0, or -errno with the reason in reason[n]. *held: the target is a command that a thread of this process has
 * traced since its exec. */
int traceable_check(const struct source_want *w, bool *held, char *reason, size_t n);
/* A field of /proc/ID/status that is a number; -1: unknown. */
int64_t traceable_status(uint32_t id, const char *field);
/* True if a thread of this process traces the process. */
bool traceable_held(uint32_t pid);
/* True if the process runs a program with privileges of its file, which it did not get if it was traced. euid, egid: of
 * the process. (The file of a program that may not be read cannot be looked at: false.) */
bool traceable_strips(uint32_t pid, uint32_t euid, uint32_t egid);

#endif
