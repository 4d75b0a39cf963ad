/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a parsed script will need, so that an engine can be chosen before names have meanings.
 * Ownership: nothing is kept. Errors: none.
 */
#ifndef LANG_CHECK_NEEDS_H
#define LANG_CHECK_NEEDS_H

#include "lang/compile.h"

/* True if a clause, or an inline that it uses, has a name that needs the types of the kernel's structures. */
bool needs_kernel_types(const struct compiler *c);
/* True if all its probes fire by the clock (profile-N, tick-N) or are BEGIN, END and ERROR. */
bool needs_only_clocks(const struct compiler *c);
/* True if one of its probes is profile-N or tick-N. */
bool needs_timers(const struct compiler *c);

#endif
