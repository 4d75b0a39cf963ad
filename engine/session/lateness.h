/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Output that is late: printing aggregations can take longer than the interval in which a probe asks for it.
 *
 * Ownership: the session's arena. Errors: none.
 */
#ifndef ENGINE_SESSION_LATENESS_H
#define ENGINE_SESSION_LATENESS_H

#include "engine/session/session.h"

/* A firing of this clause prints now. Reports once that output is late: by more than a second, and by more than the
 * time from the clause's firing before. */
void lateness_note(struct dtr *t, const struct epid_desc *e, uint64_t fired);
/*
 * Once the session has ended, of the firings of a probe that print aggregations and have waited, only the last one is
 * carried out: no values are added any more, so all of them would print the same. Clauses that run commands or change
 * the output are all carried out; so are all firings if none has waited for more than a second. at: the first waiting
 * record in t->queue, which is sorted.
 */
void lateness_skip(struct dtr *t, size_t at);
/* Whether lateness_skip leaves this record out. */
bool lateness_skips(const struct dtr *t, const struct epid_desc *e, uint64_t fired);
/* At the end: how late output was, and how many firings were left out. */
void lateness_report(struct dtr *t);

#endif
