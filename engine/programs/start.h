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

#include <stddef.h>
#include <sys/types.h>

enum start_point {
	START_EXEC,		/* after exec, before the first instruction: where it is */
	START_PREINIT,		/* the libraries that it is linked with are loaded; no constructor has run */
	START_POSTINIT,		/* constructors have run */
	START_MAIN,		/* before the first instruction of main() */
};

int start_advance(pid_t pid, enum start_point to, int *status, char *reason, size_t n);

#endif
