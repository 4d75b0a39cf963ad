/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of the pid provider. A probe is an instruction of a process, or all instructions at which a function
 * returns. Probes at which arguments mean the same share a gate (providers/code/code.h).
 *
 * Ownership: the arena of the probe set, except the descriptors (struct links).
 * Errors: see each function.
 */
#ifndef PROVIDERS_PID_PID_H
#define PROVIDERS_PID_PID_H

#include "providers/code/code.h"
#include "providers/files.h"

/* What arguments mean. */
enum pid_kind {
	PID_ENTRY,		/* at the first instruction and any other: the function's arguments */
	PID_RETURN,		/* where it returns: offset and result */
	PID_NKINDS
};

/* The places of a file by gate, and whether they fire after the return, at the caller. */
enum file_group { GROUP_ENTRY, GROUP_RETURN, GROUP_AFTER, NGROUPS };
_Static_assert((int)NGROUPS <= (int)FILE_GROUPS, "a group for each way to attach");

static inline enum pid_kind pid_group_kind(enum file_group g)
{
	return g == GROUP_ENTRY ? PID_ENTRY : PID_RETURN;
}

/* Private data of a probe. */
struct pid_probe {
	struct code_probe code;
	const struct program_function *function;
	const char *plain;	/* the function's name in its language; NULL: the same */
	bool step;		/* its name is an offset */
	/* only of all processes: code.pid is 0, and the instructions belong to files (files.c) */
	size_t uses;		/* instructions, in all files */
	struct file_names named;	/* of a spare probe */
	uint64_t freed;		/* if not 0: time when its last file was removed */
	bool disarmed;		/* it fired too often (limit.c) */
};

/* The provider's state in a probe set. */
struct pid_state {
	struct code_state code;
	struct code_gate gates[PID_NKINDS];
	/* probes of all processes */
	struct traced_files files;
	size_t created;		/* probes, also of single processes */
	uint64_t second;	/* when the current second of limit.c began */
	struct map of_files;	/* path, function, name -> struct probe *, before the program runs */
};

/* One description while its probes are being created. */
struct pid_find {
	struct probe_set *set;
	struct pid_state *state;
	const struct probe_spec *spec;
	struct programs *code;		/* with which the file is examined */
	struct arena *arena;		/* for what is needed as long */
	const char *provname;
	int64_t pid;			/* 0: all processes, and: */
	struct traced_file *file;
	const struct program_module *module;
	const struct program_function *function;
	const char *plain;
	size_t found, functions;	/* probes; functions of the modules that match */
	struct probe_follow *follow;	/* the program runs; NULL: it is being compiled */
	struct probe_answer to;
	enum diag_tag refused;		/* of several processes or files: why one of them has no probe */
	/* the instructions of the function, if they were needed */
	VEC(struct program_step) steps;
};

enum { PID_REASON = 200 };
#define PID_OF_ALL "pid*"		/* the provider of probes of all processes */

static inline struct pid_probe *pid_probe_of(const struct probe *p)
{
	return p->data;
}

extern const struct provider provider_pid;

struct pid_state *pid_state_of(struct probe_set *s);

/* ---- find.c ---- */
/* Creates the probes of a description. As struct provider.provide. */
int pid_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		size_t n);
bool pid_matches(const struct probe *p, const struct probe_spec *spec);
/* As struct provider_matching.process. */
int64_t pid_process(const struct probe_set *s, const struct probe_spec *spec);
/* Finds the probes of the description in one file. Returns 0, or -1: refused. */
int pid_find_module(struct pid_find *f, const struct program_module *m);

/* ---- create.c: the probes of the function f->function ---- */
/* Creates a probe at these instructions: of *at, those and how they are attached. NULL: it exists, or there is no
 * room. */
struct probe *pid_create(struct pid_find *f, enum pid_kind kind, const char *name, const struct code_probe *at);
/* At one instruction. */
struct probe *pid_create_at(struct pid_find *f, const char *name, const struct program_step *at);
/* The same; the name is the offset of the instruction. */
void pid_create_offset(struct pid_find *f, const char *name, const struct program_step *at);
struct code_site pid_site(const struct program_function *f, const struct program_step *s);
/* Creates the probes that the name part of the description means. Returns 0, or -1: refused. */
int pid_create_all(struct pid_find *f);
/* The instructions at which the function returns. Returns false if not all of them can be found and probed. */
bool pid_find_returns(struct pid_find *f, struct code_probe *d);
/* A pattern matches an instruction that the kernel cannot probe. */
void pid_leave_out(struct pid_find *f, const char *name, const char *why);

/* ---- chosen.c ---- */
/* Creates the probes of a function that is chosen at run time (IFUNC). Returns 0, or -1: refused. */
int pid_create_chosen(struct pid_find *f, const struct program_function *resolver);

/* ---- files.c: probes of all processes ---- */
/* As in struct provider. */
bool pid_everywhere(const struct probe_set *s, const struct probe_spec *spec);
void pid_mapped(struct probe_follow *w);
void pid_files_init(struct pid_state *st);
/* The probe with these names and the path of f->module; NULL: there is no room. */
struct probe *pid_file_probe(struct pid_find *f, enum pid_kind kind, const struct probe_names *names);
/* Adds the instructions of the probe to f->file, unless it has them. */
void pid_file_sites(struct pid_find *f, const struct probe *p, const struct code_probe *at);
/* Attaches a gate to the files that were found before the program runs. Returns 0, or -errno with a sentence in
 * env->reason. */
int pid_files_attach(struct code_gate *g, struct attach_env *env);

/* Attaches all groups of the file. Returns 0, or -errno with a sentence in reason[n]. */
int pid_file_attach(struct pid_state *st, struct traced_file *f, char *reason, size_t n);

/* ---- limit.c ---- */
/* As struct provider_everywhere.limit. */
void pid_limit(struct probe_follow *w);

/* ---- follow.c ---- */
/* As struct provider_processes.follow. */
void pid_follow(struct probe_follow *f);
/* As in struct provider_gates. */
void pid_reserve(struct probe_set *s, const struct probe *p);
unsigned pid_anchors(struct probe_set *s, const struct probe_spec *spec, struct probe **out);
/* As struct provider_everywhere.unmet. */
void pid_unmet(struct probe_follow *w);

/* ---- name.c ---- */
/* True if a part of a description can match several names. */
bool pid_is_pattern(const char *s);
/* True if the function part means this function. plain: its name in its language, or NULL. */
bool pid_function_matches(const char *pattern, const struct program_function *f, const char *plain);

/* ---- args.c ---- */
/* As struct provider.args. */
unsigned pid_args(const struct probe *p, struct arg_desc *out, unsigned max);

/* ---- code.c ---- */
ir_reg pid_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt);

#endif
