/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends profiles to a profile store from a thread of its own. What cannot be sent waits in a queue (spool.h); attempts
 * are repeated after PUSH_WAIT_S seconds, twice as long after each failure, up to PUSH_WAIT_MAX_S.
 *
 * Pyroscope: POST /ingest?name=NAME{LABEL=VALUE,...}&from=S&until=S&format=pprof, a form with the profile and the
 * types of its samples (https://grafana.com/docs/pyroscope/latest/reference-server-api/).
 * Parca: POST /api/profiles/writeraw, WriteRawRequest as JSON (parca/profilestore/v1alpha1/profilestore.proto).
 *
 * Ownership: push_close ends the thread and frees everything (idempotent).
 * Errors: push_open returns -1 with the reason in reason[n]; failures to send are reported on standard error, the first
 * of a series only, and counted.
 */
#ifndef CMD_DTR_SERVE_PUSH_H
#define CMD_DTR_SERVE_PUSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PUSH_WAIT_S = 1, PUSH_WAIT_MAX_S = 60, PUSH_LAST_S = 5 };

struct push_label {
	const char *name, *value;
};

struct push_config {
	const char *prog;		/* prefix of messages */
	const char *url;		/* "http://host:4040" */
	const char *shown;		/* the same for messages: without a password */
	bool parca;			/* otherwise Pyroscope */
	const char *name;		/* of the application */
	const struct push_label *label;	/* [nlabels] */
	size_t nlabels;
	const char *dir;		/* of the queue; NULL: in memory */
	uint64_t most;			/* bytes of the queue */
	const char *const *types;	/* [ntypes]: types of the profiles' samples: "@name" */
	size_t ntypes;
};

struct push_counts {
	uint64_t sent, failed;		/* profiles; attempts */
	uint64_t refused, dropped;	/* profiles: the store does not accept them; there was no room */
	uint64_t waiting;		/* profiles in the queue */
};

struct push;

/* The configuration must live until push_close. */
int push_open(struct push **out, const struct push_config *config, char *reason, size_t n);
/* Queues a profile of the time from `from` to `until`, ns since 1970. */
void push_add(struct push *p, const char *profile, size_t size, uint64_t from, uint64_t until);
void push_count(struct push *p, struct push_counts *out);
/* Waits at most PUSH_LAST_S seconds for what can still be sent. */
void push_close(struct push *p);

#endif
