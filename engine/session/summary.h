/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Summaries of recordings (engine/output/summary): runs the script that a summary is taken from.
 * Ownership: the session owns the summary. Errors: reported in a message.
 */
#ifndef ENGINE_SESSION_SUMMARY_H
#define ENGINE_SESSION_SUMMARY_H

#include "engine/output/summary/summary.h"
#include "engine/session/session.h"

/* Opens a recording and stores its properties. Returns 0, or -1 after a message. */
int summary_open(struct dtr *t, struct summary *s, const char *path);
/* Runs the script on it, with the printer of o->printer or -O, until dtr_finish. Returns 0, or -1 after messages: the
 * recording is damaged (then the summary of the data before the damage is taken), or no data could be read. */
int summary_run(struct dtr *t, struct summary *s, bool graph);
/* A printer that prints nothing. */
extern const struct printer summary_printer;

#endif
