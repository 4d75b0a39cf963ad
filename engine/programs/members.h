/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types of variables: follows members and elements (".limit", "[3].n"), and finds size and sign.
 *
 * Ownership: nothing is kept. Errors: -EINVAL with the reason in reason[size].
 */
#ifndef ENGINE_PROGRAMS_MEMBERS_H
#define ENGINE_PROGRAMS_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/symbols/debuginfo.h"

/* A variable, or a member or an element of one. */
struct variable_part {
	uint64_t off, size;		/* bytes; off: from the start of the variable */
	bool is_signed;
};

/* variable: its entry. Stores what the path names. */
int members_follow(const struct debuginfo *d, Dwarf_Die *variable, const char *path, struct variable_part *out,
		   char *reason, size_t size);

#endif
