/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a program that was just executed up to a point of its start. The process is stopped and traced by the calling
 * thread (ptrace(2)), and is so again afterwards. Its code is as before.
 *
 * Ownership: nothing is kept. Errors: start_advance returns -errno with a sentence in reason[n]. *status is the status
 * of waitpid() if the process has ended, else -1.
 */
#ifndef ENGINE_PROGRAMS_START_H
#define ENGINE_PROGRAMS_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/dtr.h"

/* Where the dynamic linker of a process calls an empty function when it has loaded files, for debuggers. */
struct start_linker {
	int fd;			/* its file; the caller closes it */
	uint64_t off;		/* of the function in the file */
	int64_t state;		/* distance from there to the state in struct r_debug; 0 in it: it has finished */
};

/* Returns false if the process has no dynamic linker, or one without this interface. */
bool start_linker(pid_t pid, struct start_linker *out);

int start_advance(pid_t pid, enum dtr_point to, int *status, char *reason, size_t n);

#endif
