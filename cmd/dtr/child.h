/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command of -c. It is started before the script is compiled ($target must be known) and held until all probes are
 * armed.
 *
 * When child_start returns, the child has executed the command and is stopped before its first instruction (ptrace(2)),
 * so that the actions of dtr's own fork are not attributed to the command. If it cannot be traced (a set-user-ID
 * program without CAP_SYS_PTRACE, or dtr itself is traced), it waits just before the exec instead.
 *
 * Ownership: the child belongs to dtr and is killed if tracing ends first, as in DTrace; if dtr dies, the kernel kills
 * it. Its own children are not affected. The thread that started it must release it.
 * Errors: -errno if it cannot be started or the command cannot be executed.
 */
#ifndef CMD_DTR_CHILD_H
#define CMD_DTR_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/arena.h"
#include "engine/dtr.h"

struct child {
	pid_t pid;		/* 0 = none */
	int go, result;		/* pipes: to release it; from it: is it traced, errno of a failed exec */
	bool traced;		/* stopped after its exec; otherwise waiting before it */
	int untraced;		/* errno of ptrace(2), which does not permit it */
	bool privileged;	/* its file has privileges that it does not get if it is traced */
	bool reaped;
	int status;		/* as waitpid gives it, once reaped */
};

/* Splits a command into words at blanks; '...', "..." and \ quote as in sh; nothing is expanded. Returns a
 * NULL-terminated list, or NULL if a quote is open or there is no word. */
char **child_words(struct arena *a, const char *command);

struct child_command {
	const char *path;
	char **words;			/* its arguments, the first is its name */
	bool aside;			/* its standard output goes to standard error */
	const struct rlimit *stack;	/* its stack limits (stack.h) */
	char **environment;		/* NULL: dtr's own */
};

/* Starts a command. Returns 0, or -errno, usually of the exec (-ENOENT for an existing file: its interpreter is
 * missing). */
int child_start(struct child *c, const struct child_command *command);
/* Starts it up to just before its exec; child_release executes the file. Returns 0 or -errno. */
int child_hold(struct child *c, const struct child_command *command);
/* Runs it up to a point of its start. Returns 0, or -errno with a sentence in reason[n]. */
int child_advance(struct child *c, enum dtr_point to, char *reason, size_t n);
/* Lets it run. Returns 0, or -errno of the exec; -ECHILD: it was killed. */
int child_release(struct child *c);
/* The same for another thread that traces it from now on and lets it run (dtr_traces). */
int child_hand_over(struct child *c);
/* True after it has ended; its status is then in c->status. */
bool child_ended(struct child *c);
/* Kills it unless it has ended. Idempotent. */
void child_close(struct child *c);

#endif
