/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of the line provider: beginnings of statements in source lines. A probe is a line of a function in a source
 * file; its sites are instructions, in one gate (providers/code/code.h).
 *
 * Ownership: the arena of the probe set, except the descriptors (struct links). Errors: see each function.
 */
#ifndef PROVIDERS_LINE_LINE_H
#define PROVIDERS_LINE_LINE_H

#include "providers/code/code.h"

/* Private data of a probe. */
struct line_probe {
	struct code_probe code;
	const char *plain;		/* the function's name in its language; NULL: the same */
	const char *file;		/* path of the source */
	uint32_t line;
	bool entry;			/* it is the entry of its function */
	unsigned search;		/* that created it; only this one adds sites */
	size_t room;			/* sites */
};

/* The provider's state in a probe set. */
struct line_state {
	struct code_state code;		/* its `specs`: those without probes so far */
	struct code_gate gate;
	unsigned searches;
};

static inline struct line_probe *line_probe_of(const struct probe *p)
{
	return p->data;
}

extern const struct provider provider_line;

struct line_state *line_state_of(struct probe_set *s);

/* ---- find.c ---- */
/* Creates the probes of a description. As struct provider.provide. */
int line_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		 size_t n);
bool line_matches(const struct probe *p, const struct probe_spec *spec);
/* As struct provider_processes.follow. */
void line_follow(struct probe_follow *w);
/* As in struct provider_gates: descriptions that match nothing may mean source files of libraries that are loaded
 * later. */
void line_reserve(struct probe_set *s, const struct probe *p);
unsigned line_anchors(struct probe_set *s, const struct probe_spec *spec, struct probe **out);

#endif
