/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time limits for the clients of the HTTP server: a thread ends the connections of those that take too long, so that
 * others get their answers. A request must arrive within GUARD_REQUEST_NS, and its answer must be read within
 * GUARD_ANSWER_NS; while all connections are in use, within GUARD_FULL_NS.
 *
 * Ownership: guard_close ends the thread and frees everything (idempotent). Call it after the daemon has stopped.
 */
#ifndef CMD_DTR_SERVE_GUARD_H
#define CMD_DTR_SERVE_GUARD_H

#include "cmd/dtr/serve/mhd.h"

#define GUARD_REQUEST_NS 10000000000ull
#define GUARD_ANSWER_NS 60000000000ull
#define GUARD_FULL_NS 500000000ull

struct guard;

/* most: connections. NULL: no memory or no thread. */
struct guard *guard_open(const struct mhd *mhd, unsigned most);
void guard_close(struct guard *g);
/* A request of this connection is complete and waits for its page. */
void guard_waits(struct guard *g, struct MHD_Connection *c);
/* Its answer is being sent. */
void guard_answers(struct guard *g, struct MHD_Connection *c);

/* Callbacks of the daemon (MHD_OPTION_NOTIFY_CONNECTION, MHD_OPTION_NOTIFY_COMPLETED) with the guard as argument. */
void guard_connection(void *guard, struct MHD_Connection *c, void **context, int event);
void guard_completed(void *guard, struct MHD_Connection *c, void **state, int how);

#endif
