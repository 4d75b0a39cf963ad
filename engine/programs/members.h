/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types of variables: follows members and elements (".limit", "[3].n"), and finds size and sign.
 *
 * Ownership: nothing is kept. Errors: -EINVAL with the reason in reason[size].
 */
#ifndef ENGINE_PROGRAMS_MEMBERS_H
#define ENGINE_PROGRAMS_MEMBERS_H

#include <stddef.h>

#include "engine/symbols/debuginfo.h"

struct variable;

/* variable: its entry. Sets out->off, out->size, out->is_signed to those of what the path names. */
int members_follow(const struct debuginfo *d, Dwarf_Die *variable, const char *path, struct variable *out, char *reason,
		   size_t size);

#endif
