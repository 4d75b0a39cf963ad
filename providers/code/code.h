/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes at instructions of processes, for providers such as pid and line. The probes of a gate share one program; a
 * cookie says which one fires, and where. There can be more of them while the program runs: a gate has spare ones.
 *
 * Ownership: the arena of the probe set, except the descriptors (struct links).
 * Errors: see each function.
 */
#ifndef PROVIDERS_CODE_CODE_H
#define PROVIDERS_CODE_CODE_H

#include "providers/modules.h"
#include "providers/program.h"
#include "providers/provider.h"
#include "providers/uprobe.h"

/* An instruction of a probe. */
struct code_site {
	uint64_t off;		/* in the file */
	uint64_t at;		/* from the first instruction of the function */
	/* of a gate with turns, in the file: the first instruction of the basic block, and one at which a probe costs
	 * less than at `off` */
	uint64_t block, cheapest;
	bool emulated;		/* as in struct program_step */
	bool go;		/* as in struct program_function */
};

struct code_gate;

/* A site while it is being attached. */
struct code_place {
	const struct code_site *site;
	struct probe *probe;
	uint64_t off, cookie;
};

/* The first member of a provider's private data of a probe. */
struct code_probe {
	struct code_gate *gate;
	uint32_t number;	/* at the gate */
	int64_t pid;		/* 0: all processes except dtr */
	const struct program_module *module;	/* NULL: a spare probe without names */
	bool after;		/* fires after the return, at the caller: not all returns can be found */
	struct code_site *site;
	size_t nsites;
};

typedef VEC(struct probe *) code_probes;

/* What the gates of a provider share. */
struct code_state {
	struct probe_set *set;
	const struct provider *provider;
	size_t data;			/* bytes of the private data of a probe */
	struct spec_list specs;		/* all descriptions */
	struct module_list seen;	/* files that were compared with them */
	size_t lost;			/* probes for which there was no spare one */
	size_t unprobed;		/* instructions that patterns matched and the kernel cannot probe */
	const char *first;		/* the first one, and why */
	bool of_all, of_one;		/* descriptions mean all processes (probes with pid 0); one, or several */
};

struct code_gate {
	struct code_state *state;
	struct probe_gate gate;
	unsigned kind;			/* for the provider */
	code_probes probes;		/* by number; the spare ones last */
	struct probe *anchor;		/* struct provider_gates.anchors */
	uint32_t filled;		/* spare probes that have names */
	code_probes fresh;		/* found while the program runs, not attached yet */
	size_t rows, used;		/* of a gate with turns: rows of its table of members (blocks.c) */
	/* firings of probes of all processes, by number, at the beginning of the current second (pid/limit.c) */
	uint64_t *before;
	struct attach_env *env;		/* NULL: not attached */
	struct links uprobes;
};

static inline struct code_probe *code_of(const struct probe *p)
{
	return p->data;
}

/* As in struct provider_gates. */
const struct probe_gate *code_gate(const struct probe *p);
uint32_t code_number(const struct probe *p);
/* As struct provider.ctx. */
enum ir_ctx code_ctx(const struct probe *p);

/* Puts a probe of this process, whose private data is zero, at the end of a gate. */
void code_join(struct code_gate *g, struct probe *p, int64_t pid);
/* Counts an instruction that a pattern matches and the kernel cannot probe. text: which one, and why. */
void code_leave_out(struct code_state *st, const char *text);

/* ---- prologue.c ---- */
void code_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip);
ir_reg code_select(struct ir_builder *b, const struct probe *p);
/* The offset of the instruction in its function. */
ir_reg code_at(struct ir_builder *b);
/* All bits set if the function is one of Go, else 0. */
ir_reg code_go(struct ir_builder *b);
/* Implements struct provider_values.emulated. */
ir_reg code_emulated(struct ir_builder *b);
/* What the program gets at an instruction of a probe. */
uint64_t code_cookie(const struct code_probe *d, const struct code_site *s);
/* A temporary object of 8 bytes. */
uint32_t code_word(struct ir_builder *b, const char *name);
/* The firings so far of probes of all processes, by number; NULL: they are not counted (probe_set.maxfirings). */
const uint64_t *code_firings(struct code_gate *g);
/* Sets the process for which a spare probe of an attached gate fires. */
void code_set_process(struct code_gate *g, const struct probe *p);

/* ---- blocks.c: sites of one basic block fire together, in turns ---- */
/* Emits the number of the probe that fires in this turn. */
ir_reg code_member(struct ir_builder *b, struct code_gate *g);
/* Sets the cookies of sites of one file. Leaves only the first one of each block, if the program runs all turns.
 * Returns the number of those left. */
size_t code_merge(struct code_gate *g, struct attach_env *env, struct code_place *v, size_t n);

/* ---- attach.c ---- */
int code_attach(struct probe *p, struct attach_env *env);
void code_detach(struct probe *p);
/* Attaches g->fresh and empties it. Returns 0, or -errno with a sentence in g->env->reason. */
int code_attach_fresh(struct code_gate *g);

/* ---- spare.c: probes that are found while the program runs ---- */
/* The gate's anchor for descriptions of this process. */
struct probe *code_anchor(struct code_gate *g, int64_t pid);
/* Implements struct provider_gates.reserve, with this number of probes: */
enum { CODE_SPARE_FEW = 64, CODE_SPARE_MANY = 2048 /* the descriptions are patterns */ };
void code_reserve(struct code_gate *g, int64_t pid, uint32_t n);
/* The probe with these names for a file that the process has loaded: an existing one
 * that another file had before, or a spare one. NULL: this file has it already, or there is none left. */
struct probe *code_fill(struct code_gate *g, const struct program_module *m, const struct probe_names *names);
/* To be called when the names and all fields of the probe are set: it will be attached. */
void code_filled(struct code_gate *g, struct probe *p, struct probe_follow *w);
/* Attaches what was found, and sets w->warning if not all of it could be. */
void code_follow(struct code_gate *g, struct probe_follow *w);

#endif
