/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of the watch provider: accesses to a variable of a process (hardware breakpoints).
 *
 * Ownership: the arena of the probe set, except the descriptors (struct watch_events).
 * Errors: see each function.
 */
#ifndef PROVIDERS_WATCH_WATCH_H
#define PROVIDERS_WATCH_WATCH_H

#include "providers/program.h"
#include "providers/provider.h"

/* A breakpoint in each thread of a process. Threads that these create inherit it; so do processes, if wanted. */
struct watch_events {
	int *fd;
	size_t n, room;
};

/* Private data of a probe. */
struct watch_probe {
	int64_t pid;
	const struct program_module *module;	/* NULL: the probe was named by its address */
	uint64_t addr, size;
	bool is_signed;
	bool write;				/* fires only at writes */
	bool forks;				/* also in processes that this one creates (-x followfork) */
	struct watch_events events;
	size_t *attached;			/* breakpoints of this session, for messages */
};

static inline struct watch_probe *watch_probe_of(const struct probe *p)
{
	return p->data;
}

extern const struct provider provider_watch;

/* ---- find.c ---- */
/* Creates the probe of a description. As struct provider.provide. */
int watch_provide(struct probe_set *s, const struct probe_spec *spec, char *reason, size_t n);
bool watch_matches(const struct probe *p, const struct probe_spec *spec);

/* ---- attach.c ---- */
int watch_attach(struct probe *p, struct attach_env *env);
void watch_detach(struct probe *p);

#endif
