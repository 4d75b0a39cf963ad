/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of the watch provider: accesses to a variable of a process (hardware breakpoints).
 *
 * Ownership: the arena of the probe set, except the descriptors (struct links).
 * Errors: see each function.
 */
#ifndef PROVIDERS_WATCH_WATCH_H
#define PROVIDERS_WATCH_WATCH_H

#include "providers/links.h"
#include "providers/program.h"
#include "providers/provider.h"

/* The provider's state in a probe set. */
struct watch_state {
	VEC(struct probe *) probes;
	size_t attached;			/* probes with breakpoints, for messages */
};

/* Private data of a probe. */
struct watch_probe {
	struct watch_state *state;
	unsigned number;			/* in state->probes */
	int64_t pid;
	const struct program_module *module;	/* NULL: the probe was named by its address, or waits */
	const struct probe_spec *moves;		/* the variable is in a library, which can be loaded later or elsewhere:
						 * its description; else NULL */
	bool waits;				/* not found when the program was made: its size was unknown */
	uint64_t addr, size;
	bool is_signed;
	bool write;				/* fires only at writes */
	bool forks;				/* also in processes that this one creates (-x followfork) */
	/* a breakpoint in each thread of the process; threads that these create inherit it, processes if `forks` */
	struct links events;
	struct attach_env *env;			/* NULL: not attached */
};

/* Words of the object WATCH_PLACE of a probe that moves: where its variable is. Address 0: nowhere. */
#define WATCH_PLACE "watch.place%u"
enum { WATCH_ADDRESS, WATCH_SIZE /* log2 */, WATCH_SIGNED, WATCH_WORDS };

static inline struct watch_probe *watch_probe_of(const struct probe *p)
{
	return p->data;
}

extern const struct provider provider_watch;

/* ---- find.c ---- */
/* Creates the probe of a description. As struct provider.provide. */
int watch_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		  size_t n);
bool watch_matches(const struct probe *p, const struct probe_spec *spec);
/* Finds the variable of a probe that moves in the process as it is now, and sets d->module, addr, size, is_signed. A
 * variable that is not there has the address 0. Returns 0, or -1 with the reason: it cannot be watched. */
int watch_find_again(struct probe_set *s, const struct probe *p, char *reason, size_t n);

/* ---- follow.c ---- */
/* As in struct provider. */
void watch_follow(struct probe_follow *w);
int64_t watch_moves(const struct probe *p);

/* ---- attach.c ---- */
int watch_attach(struct probe *p, struct attach_env *env);
/* Removes the breakpoints of an attached probe. */
void watch_remove(struct watch_probe *d);
void watch_detach(struct probe *p);

#endif
