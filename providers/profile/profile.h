/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The profile provider: profile-N on every CPU, tick-N on one. docs/profile-provider.md has the semantics.
 * Ownership: see providers/provider.h. Errors: parsing a name (with a reason), opening perf events.
 */
#ifndef PROVIDERS_PROFILE_PROFILE_H
#define PROVIDERS_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The shortest interval, ns. */
#define PROFILE_FLOOR_NS 200000ull

/* Options that the provider listens to; zeroed = defaults. */
struct profile_opts {
	const char *source;	/* -x profsrc: "cpu-clock" (NULL) or "cycles" */
};

/*
 * Parses "97", "97hz", "1ms", ...: what stands behind "profile-" or "tick-".
 * 0 and *ns = the interval; -1 and the reason in why (the wordings of docs/profile-provider.md).
 */
int profile_parse_interval(const char *text, uint64_t *ns, char *why, size_t n);

/* What -x profsrc=help says: which sources this machine offers. */
void profile_source_help(struct buf *out);

#endif
