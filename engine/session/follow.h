/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Follows the processes whose probes a script names: when one loads libraries or executes another program, the probes
 * in the new files are attached. The command of -c is held meanwhile.
 *
 * Ownership: the session. Errors: reported as messages; the session continues.
 */
#ifndef ENGINE_SESSION_FOLLOW_H
#define ENGINE_SESSION_FOLLOW_H

#include "engine/session/session.h"

/* After the probes were attached. */
void follow_open(struct dtr *t);
/* ns that a pass of the consumer may wait, at most `timeout`. */
uint64_t follow_patience(const struct dtr *t, uint64_t timeout);
/* After each pass of the consumer. */
void follow_pass(struct dtr *t);
/* No probe fires any more: from now on, no process of a family is held. */
void follow_end(struct dtr *t);
/* After the session's state has changed once more: those that are held continue. */
void follow_close(struct dtr *t);
/* At the end: descriptions that have matched nothing while the program ran. */
void follow_report(struct dtr *t);

#endif
