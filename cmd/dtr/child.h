/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command of -c: started before the script is compiled ($target must be known), held until everything is armed.
 *
 * It has executed the command when child_start returns, and is stopped before the first instruction (ptrace(2)), so that
 * nothing that dtr's own child does is taken for the command's. Where it must not be traced (a set-user-ID program, by a user
 * without CAP_SYS_PTRACE; dtr itself is being traced), it waits just before the exec instead.
 *
 * Ownership: the child is ours, and does not outlive us: DTrace kills the command that it has started when tracing
 * ends before it. Its own children are not ours. The thread that has started it must release it.
 * Errors: starting it, executing the command; -errno. If dtr dies first, the kernel kills the child.
 */
#ifndef CMD_DTR_CHILD_H
#define CMD_DTR_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/arena.h"

struct child {
	pid_t pid;		/* 0 = none */
	int go, result;		/* pipes: release it; what it says: if it is traced, the errno of a failed exec */
	bool traced;		/* stopped after its exec; otherwise it waits before it */
	bool reaped;
	int status;		/* as waitpid gives it, once reaped */
};

/* Splits a command into words: blanks separate, '...', "..." and \ quote as in sh; nothing is expanded.
 * NULL-terminated; NULL: an open quote, or no word at all. */
char **child_words(struct arena *a, const char *command);

/* Forks the command: the file at `path` with these words. aside: what it prints goes to standard error; stack: its
 * stack limits (stack.h). 0, or -errno of what failed, mostly the exec (-ENOENT: the file's interpreter is missing, if there is such
 * a file). */
int child_start(struct child *c, const char *path, char **words, bool aside, const struct rlimit *stack);
/* Lets it run. 0, or -errno of the exec; -ECHILD: it was killed. */
int child_release(struct child *c);
/* True once it has ended; its status is in c->status. */
bool child_ended(struct child *c);
/* Kills it unless it has ended. Idempotent. */
void child_close(struct child *c);

#endif
