/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The statements of source lines in a file, from the line tables of its debugging information.
 *
 * Ownership: the caller's arena. Errors: -errno with the reason in reason[size]: -ENODATA: the file has no such
 * information.
 */
#ifndef ENGINE_PROGRAMS_STATEMENTS_H
#define ENGINE_PROGRAMS_STATEMENTS_H

#include "engine/programs/decoder.h"
#include "engine/programs/functions.h"

struct object;
struct source_lines;

struct statements_want {
	struct arena *arena;
	struct source_lines *lines;
	const struct decoder *decoder;
	const struct functions *functions;	/* of the file */
	/* The entries of the file, or NULL, when they are first needed. NULL: the basic blocks are not. */
	const struct entries *(*entries)(void *entries_arg);
	void *entries_arg;
	/* The source files that are wanted, by their paths. */
	bool (*wanted)(void *arg, const char *path);
	void (*found)(void *arg, const struct program_statement *s);
	void *arg;
};

int statements_find(const struct statements_want *w, struct object *o, char *reason, size_t size);

#endif
