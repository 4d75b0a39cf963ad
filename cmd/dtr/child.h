/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command of -c: started before the script is compiled ($target must be known), held until everything is armed.
 *
 * Who owns what: the child is ours, and does not outlive us: DTrace kills the command that it has started when tracing
 * ends before it. Its own children are not ours.
 * What can fail: starting it, executing the command; -errno. If dtr dies first the kernel kills the child (not one that
 * executes a program of more privilege, but before it executes anything it ends by the pipe that it waits on).
 */
#ifndef CMD_DTR_CHILD_H
#define CMD_DTR_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"

struct child {
	pid_t pid;		/* 0 = none */
	int go, result;		/* pipes: release it; the errno of a failed exec */
	bool reaped;
	int status;		/* as waitpid gives it, once reaped */
};

/* Splits a command into words: blanks separate, '...', "..." and \ quote as in sh; nothing is expanded.
 * NULL-terminated; NULL: an open quote, or no word at all. */
char **child_words(struct arena *a, const char *command);

/* Forks the command, which waits for its release. aside: what it prints goes to standard error. 0 or -errno; -ENOENT, -EACCES:
 * there is no such program, nothing was begun. */
int child_start(struct child *c, char **words, bool aside);
/* Lets it run. 0, or -errno of the exec. */
int child_release(struct child *c);
/* True once it has ended; its status is in c->status. */
bool child_ended(struct child *c);
/* Kills it unless it has ended. Idempotent. */
void child_close(struct child *c);

#endif
