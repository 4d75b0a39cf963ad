/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of the usdt provider. A probe is a place, or several, that a program or a library declares by notes
 * (<sys/sdt.h>). Its provider name is that of the note and the process ID: python1234. All probes share one program, a
 * gate; a cookie says which one fires, and at which of its places, because each place has its arguments elsewhere.
 *
 * Ownership: the arena of the probe set, except the descriptors (struct uprobes).
 * Errors: see each function.
 */
#ifndef PROVIDERS_USDT_USDT_H
#define PROVIDERS_USDT_USDT_H

#include "providers/program.h"
#include "providers/provider.h"
#include "providers/uprobe.h"
#include "providers/usdt/operand.h"

/* D has arg0 to arg9. */
enum { USDT_ARGS = 10 };

/* Where the arguments of a place are. Symbols are resolved: `disp` includes them. */
struct usdt_row {
	struct usdt_operand arg[USDT_ARGS];
	unsigned n;
	bool narrow;			/* addresses have 32 bits */
};

/* A place. */
struct usdt_site {
	uint64_t off;			/* in the file */
	uint64_t semaphore;		/* as in struct program_note */
	uint32_t row;			/* where its arguments are: struct usdt_state.rows */
};

/* Private data of a probe. */
struct usdt_probe {
	struct usdt_state *state;
	uint32_t number;		/* at the gate */
	int64_t pid;
	const struct program_module *module;
	const char *plain;		/* the function's name in its language; NULL: the same */
	const char *note;		/* the name that the note has: function__entry */
	VEC(struct usdt_site) sites;
};

/* The provider's state in a probe set. */
struct usdt_state {
	struct probe_gate gate;
	VEC(struct probe *) probes;	/* by number */
	VEC(struct usdt_row) rows;
	struct map rows_by_text;	/* -> number of the row + 1 */
	struct uprobes uprobes;
};

static inline struct usdt_probe *usdt_probe_of(const struct probe *p)
{
	return p->data;
}

extern const struct provider provider_usdt;

struct usdt_state *usdt_state_of(struct probe_set *s);

/* ---- find.c ---- */
/* True if the description may mean a USDT probe: its provider part is a pattern, or ends with a process ID. */
bool usdt_claims(const struct probe_spec *spec);
/* Creates the probes of a description. As struct provider.provide. */
int usdt_provide(struct probe_set *s, const struct probe_spec *spec, char *reason, size_t n);
bool usdt_matches(const struct probe *p, const struct probe_spec *spec);

/* ---- row.c ---- */
/* The number of the row with the arguments of a place. */
uint32_t usdt_row_of(struct probe_set *s, struct usdt_state *st, const struct program_module *m,
		     const struct program_note *note);

/* ---- code.c ---- */
void usdt_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip);
ir_reg usdt_select(struct ir_builder *b, const struct probe *p);
ir_reg usdt_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt);

/* ---- attach.c ---- */
int usdt_attach(struct probe *p, struct attach_env *env);
void usdt_detach(struct probe *p);

#endif
