/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of the pid provider. A probe is an instruction of a process, or all instructions at which a function
 * returns. All probes at which arguments mean the same share one program, a gate; a cookie says which one fires.
 *
 * Ownership: the arena of the probe set, except the descriptors (struct uprobes).
 * Errors: see each function.
 */
#ifndef PROVIDERS_PID_PID_H
#define PROVIDERS_PID_PID_H

#include "providers/program.h"
#include "providers/provider.h"
#include "providers/uprobe.h"

/* What arguments mean. */
enum pid_kind {
	PID_ENTRY,		/* at the first instruction and any other: the function's arguments */
	PID_RETURN,		/* where it returns: offset and result */
	PID_NKINDS
};

/* An instruction of a probe. */
struct pid_site {
	uint64_t off;		/* in the file */
	uint64_t at;		/* from the first instruction of the function */
};

struct pid_gate;

/* Private data of a probe. */
struct pid_probe {
	struct pid_gate *gate;
	uint32_t number;	/* at the gate */
	int64_t pid;
	const struct program_module *module;
	const struct program_function *function;
	const char *plain;	/* the function's name in its language; NULL: the same */
	bool step;		/* its name is an offset */
	bool after;		/* fires after the return, at the caller: not all returns can be found */
	struct pid_site *site;
	size_t nsites;
};

struct pid_gate {
	struct pid_state *state;
	struct probe_gate gate;
	enum pid_kind kind;
	VEC(struct probe *) probes;	/* by number */
	struct uprobes uprobes;
};

/* The provider's state in a probe set. */
struct pid_state {
	struct pid_gate gates[PID_NKINDS];
	size_t unprobed;		/* instructions that patterns matched and the kernel cannot probe */
	const char *first;		/* the first one, and why */
};

static inline struct pid_probe *pid_probe_of(const struct probe *p)
{
	return p->data;
}

extern const struct provider provider_pid;

struct pid_state *pid_state_of(struct probe_set *s);

/* ---- find.c ---- */
/* Creates the probes of a description. As struct provider.provide. */
int pid_provide(struct probe_set *s, const struct probe_spec *spec, char *reason, size_t n);
bool pid_matches(const struct probe *p, const struct probe_spec *spec);

/* ---- name.c ---- */
/* True if the module part of a description means this file. */
bool pid_module_matches(const char *pattern, const struct program_module *m);
/* True if the function part means this function. plain: its name in its language, or NULL. */
bool pid_function_matches(const char *pattern, const struct program_function *f, const char *plain);

/* ---- code.c ---- */
void pid_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip);
ir_reg pid_select(struct ir_builder *b, const struct probe *p);
ir_reg pid_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt);

/* ---- attach.c ---- */
int pid_attach(struct probe *p, struct attach_env *env);
void pid_detach(struct probe *p);

#endif
