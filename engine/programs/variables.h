/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds global and static variables of a file by name, with members and elements: config.limit, table[3].n, ns::var.
 * Debugging information describes them; without it, a variable is a symbol of the file.
 *
 * Ownership: the caller's arena. Errors: -errno with the reason in reason[size]: -ENOENT: there is no such variable;
 * -ENODATA: it is not described; -EINVAL: there is one, but it cannot be watched.
 */
#ifndef ENGINE_PROGRAMS_VARIABLES_H
#define ENGINE_PROGRAMS_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/programs/members.h"

struct object;
struct demangler;

struct variable_want {
	struct arena *arena;
	struct debuginfo *info;
	struct demangler *demangler;
	const char *name;
	const char *function;		/* in which it is static; "": not given */
};

struct variable {
	const char *name;		/* without members and elements */
	const char *function;		/* in which it is static; "": none */
	bool external;			/* other files can refer to it by name */
	uint64_t base;			/* link address of the whole variable */
	struct variable_part part;		/* what the whole name names */
};

int variables_find(const struct variable_want *w, struct object *o, struct variable *out, char *reason, size_t size);
/* Finds the variable that a file exports under this name. */
bool variables_exported(struct object *o, const char *name, uint64_t *addr);

#endif
