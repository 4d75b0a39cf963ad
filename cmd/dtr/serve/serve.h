/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr serve`: a session whose aggregations can be read over HTTP while it runs (http.h), and are pushed to a profile
 * store (push.h). Other threads answer and push; the session's thread renders what they wait for after each dtr_work.
 *
 * Ownership: the arena has the strings; the session's end ends the threads.
 * Errors: reported on standard error.
 */
#ifndef CMD_DTR_SERVE_SERVE_H
#define CMD_DTR_SERVE_SERVE_H

#include "base/arena.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/serve/http.h"
#include "cmd/dtr/serve/push.h"

struct serve {
	struct arena *arena;
	const char *prog;		/* prefix of messages */
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

/* Of struct serve. Other options are those of dtr. */
extern const struct command_option serve_options[];
/* Completes what was parsed into l->self; the first operand is the script, unless an option gives one. Returns 0, or -1
 * after a message. */
int serve_expand(struct command_line *l);

#endif
