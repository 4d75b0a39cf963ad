/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cpc provider: EVENT-MODE-[UMASK-]COUNT fires each time an event was counted COUNT times on a CPU. docs/cpc.md
 * has the semantics.
 *
 * Ownership: the probe set's arena owns the data of probes; perf events are open from attach to detach.
 * Errors: cpc_parse stores a sentence in reason[n].
 */
#ifndef PROVIDERS_CPC_CPC_H
#define PROVIDERS_CPC_CPC_H

#include "providers/event.h"
#include "providers/perf.h"
#include "providers/provider.h"

/* The lowest COUNT of an event that the processor counts. */
#define CPC_FLOOR 5000ull

struct cpc {
	struct perf_event_attr attr;
	enum event_kind kind;
	uint64_t count;			/* COUNT */
	struct probe_set *set;		/* of the probe */
	struct attach_env *env;		/* while attached */
	struct perf_set events;
};

/*
 * Parses the name of a probe into the first three members. Returns 1; 0 if it does not have this form (no mode between
 * hyphens); -1 if it is invalid or the event is unknown, with the reason. name: not a pattern.
 */
int cpc_parse(const char *name, struct cpc *out, char *reason, size_t n);
/* True if a pattern without a provider matches a probe of an event that needs no library. */
bool cpc_may_mean(const char *pattern);
/* Calls fn with the name of a probe for each event that this machine counts. */
void cpc_each(void (*fn)(void *arg, const char *name), void *arg);

#endif
