/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr serve`: a session whose aggregations can be read over HTTP while it runs (http.h), and are pushed to a profile
 * store (push.h). Other threads answer and push; the session's thread renders what they wait for after each dtr_work.
 *
 * Ownership: the arena has what serve_parse stores; serve_close ends the threads (idempotent).
 * Errors: reported on standard error.
 */
#ifndef CMD_DTR_SERVE_SERVE_H
#define CMD_DTR_SERVE_SERVE_H

#include "base/arena.h"
#include "cmd/dtr/front.h"
#include "cmd/dtr/serve/http.h"
#include "cmd/dtr/serve/push.h"

struct serve {
	struct arena *arena;
	const char *prog;		/* prefix of messages; NULL: this is not `dtr serve` */
	const char *listen;		/* NULL: no server, only pushes */
	struct push_config config;	/* url NULL: no pushes */
	VEC(struct push_label) labels;
	VEC(char *) hosts;		/* see struct http_hosts */
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
/* The steps of a session with a struct serve: listens before dtr_go, pushes after it. Each dtr_work is followed by a
 * pass, which renders what requests wait for, and profiles that are due. At the end no more requests are answered, and
 * after it the last profile is queued. */
extern const struct front_ops serve_front;
/* Sends what can be sent within seconds. */
void serve_close(struct serve *s);

#endif
