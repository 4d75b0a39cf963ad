/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How runtimes name the control groups of their containers: a table of patterns, one row for each way (runtimes.c).
 *
 * Ownership: results point into the path. Errors: none; a path that matches no row is not a container's.
 */
#ifndef ENGINE_CONTAINERS_RUNTIMES_H
#define ENGINE_CONTAINERS_RUNTIMES_H

#include <stdbool.h>
#include <stddef.h>

enum { RUNTIME_ID = 64, RUNTIME_NAME = 256 };

struct container_place {
	const char *runtime;		/* "docker"; NULL: the group is not in a container */
	char id[RUNTIME_NAME];		/* 64 digits, or the name of the container */
	bool named;			/* id is a name, not digits */
	unsigned level;			/* of the container's own group: 0 is the root */
	char pod[RUNTIME_NAME];		/* ID of its pod: a UID with '-', or digits; "": none */
	unsigned pod_level;
};

/* Finds the innermost container that a path is in, or (runtime NULL) only a pod. Returns false if neither is there. */
bool runtime_find(const char *path, struct container_place *out);

#endif
