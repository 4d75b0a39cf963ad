/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr serve`: a session whose aggregations can be read over HTTP while it runs (http.h), and are pushed to a profile
 * store (push.h). Other threads answer and push; the session's thread renders in serve_pass what they wait for.
 *
 * Ownership: the arena has what serve_parse stores; serve_close ends the threads (idempotent).
 * Errors: reported on standard error.
 */
#ifndef CMD_DTR_SERVE_H
#define CMD_DTR_SERVE_H

#include "base/arena.h"
#include "cmd/dtr/http.h"
#include "cmd/dtr/push.h"

struct serve {
	const char *prog;		/* prefix of messages; NULL: this is not `dtr serve` */
	const char *listen;		/* NULL: no server, only pushes */
	struct push_config config;	/* url NULL: no pushes */
	VEC(struct push_label) labels;
	uint64_t interval;		/* between pushes, ns */
	struct http *http;
	struct push *push;
	uint64_t due;			/* of the next push, CLOCK_MONOTONIC, ns */
	uint64_t began;			/* of the profile that is due, ns since 1970 */
};

/* True if the command is `dtr serve`. */
bool serve_is(int argc, char **argv);
/* Takes the options of `dtr serve` out of the command line; what is left is one of dtr, whose script may be the first
 * operand. Returns 0; 1 after printing help; -1 after a message. */
int serve_parse(struct serve *s, struct arena *a, int *argc, char ***argv);
/* Before dtr_go: begins to listen. Requests wait for serve_pass. Returns 0, or -1 after a message. */
int serve_open(struct serve *s, struct dtr *t);
/* After dtr_go: begins to push. Returns 0, or -1 after a message. */
int serve_begin(struct serve *s, struct arena *a, struct dtr *t);
/* To be called after each dtr_work: renders what requests wait for, and profiles that are due. */
void serve_pass(struct serve *s, struct dtr *t);
/* When the session ends: no more requests are answered; queues the last profile. */
void serve_end(struct serve *s, struct dtr *t);
/* Sends what can be sent within seconds. */
void serve_close(struct serve *s);

#endif
