/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The profile provider: profile-N and sweep-N on every CPU, tick-N on one. docs/profile-provider.md has the semantics.
 *
 * Ownership: see providers/provider.h. Errors: malformed intervals (with a reason), opening perf events.
 */
#ifndef PROVIDERS_PROFILE_PROFILE_H
#define PROVIDERS_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The shortest interval, ns. */
#define PROFILE_FLOOR_NS 200000ull

/*
 * Parses the text after "profile-" or "tick-": "97", "97hz", "1ms", ... Returns 0 and the interval in *ns, or -1 and
 * the reason in reason[n] (worded as in docs/profile-provider.md).
 */
int profile_parse_interval(const char *text, uint64_t *ns, char *reason, size_t n);

/* Appends the output of -x profsrc=help: the sources on this machine. */
void profile_source_help(struct buf *out);

#endif
