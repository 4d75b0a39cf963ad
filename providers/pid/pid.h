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

typedef VEC(struct probe *) pid_probes;

struct pid_gate {
	struct pid_state *state;
	struct probe_gate gate;
	enum pid_kind kind;
	pid_probes probes;		/* by number; the spare ones last */
	struct probe *anchor;		/* struct provider_gates.anchors */
	uint32_t filled;		/* spare probes that have names */
	pid_probes fresh;		/* found while the program runs, not attached yet */
	struct attach_env *env;		/* NULL: not attached */
	struct uprobes uprobes;
};

/* The provider's state in a probe set. */
struct pid_state {
	struct probe_set *set;
	struct pid_gate gates[PID_NKINDS];
	VEC(struct probe_spec) specs;	/* all descriptions */
	VEC(struct { int64_t pid; void *file; }) files;	/* whose functions were compared with the descriptions */
	size_t lost;			/* probes for which there was no spare one */
	size_t unprobed;		/* instructions that patterns matched and the kernel cannot probe */
	const char *first;		/* the first one, and why */
};

static inline struct pid_probe *pid_probe_of(const struct probe *p)
{
	return p->data;
}

extern const struct provider provider_pid;

struct pid_state *pid_state_of(struct probe_set *s);
/* As in struct provider_gates. */
const struct probe_gate *pid_gate(const struct probe *p);
uint32_t pid_number(const struct probe *p);

/* ---- find.c ---- */
/* Creates the probes of a description. As struct provider.provide. */
int pid_provide(struct probe_set *s, const struct probe_spec *spec, char *reason, size_t n);
/* As struct provider.follow. */
void pid_follow(struct probe_follow *f);
/* As in struct provider_gates. */
void pid_reserve(struct probe_set *s, const struct probe *p);
unsigned pid_anchors(struct probe_set *s, const struct probe_spec *spec, struct probe **out);
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
/* Sets the process for which a spare probe of an attached gate fires. */
void pid_set_process(struct pid_gate *g, const struct probe *p);

/* ---- attach.c ---- */
int pid_attach(struct probe *p, struct attach_env *env);
void pid_detach(struct probe *p);
/* Attaches g->fresh and empties it. Returns 0, or -errno with a sentence in g->env->reason. */
int pid_attach_fresh(struct pid_gate *g);

#endif
