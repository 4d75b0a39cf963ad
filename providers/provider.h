/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Providers: who makes probes. A new provider is one folder and one row in providers/registry.c.
 *
 * Ownership: probes and their private data live in the session's arena; descriptors belong to the probe
 * and are closed by detach, which is idempotent.
 * Errors: each callback says so; attach gives -errno and a sentence in env->why.
 */
#ifndef PROVIDERS_PROVIDER_H
#define PROVIDERS_PROVIDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "ir/ir.h"

/* DTrace's stability classes, for -lv, -v and -x amin (names as libdtrace prints them). */
enum stability { ST_INTERNAL, ST_PRIVATE, ST_OBSOLETE, ST_EXTERNAL, ST_UNSTABLE, ST_EVOLVING, ST_STABLE, ST_STANDARD };
enum stability_class { SC_UNKNOWN, SC_CPU, SC_PLATFORM, SC_GROUP, SC_ISA, SC_COMMON };

struct attr {
	uint8_t name, data, class;	/* enum stability, stability, stability_class */
};

struct provider_attr {
	struct attr provider, module, function, probename, args;
};

/* ARG_NARROW: 32 bits or fewer, in a register whose upper half is 0. ARG_RESULT: a result, -errno of what failed. */
enum arg_kind { ARG_WORD, ARG_NARROW, ARG_RESULT };

/* A probe description as it was typed; empty parts match everything. */
struct probe_spec {
	const char *prov, *mod, *func, *name;	/* never NULL */
	const char *text;			/* as typed, for messages */
	uint32_t id;				/* by number instead; 0 = not */
	struct loc loc;
};

struct provider;
struct perf_news;

/*
 * Probes that share one attach point and one program, told apart by a number that the context has. The clauses exist once,
 * however many of the probes they name.
 */
struct probe_gate {
	const char *name;		/* of the program */
	uint32_t numbers;		/* the numbers are below this */
};

/* What a probe that fires by the clock owes. */
struct probe_due {
	uint64_t interval;		/* ns */
	bool each_cpu;			/* on every CPU: env->news tells since when; otherwise: */
	uint64_t expected;		/* so many in all */
};

struct probe {
	uint32_t id;			/* 1.., DTrace's probe ID */
	const struct provider *prov;
	const char *provname, *mod, *func, *name;
	void *data;			/* the provider's own */
	struct probe *next;		/* the next one of the same name */
};

struct arg_desc {
	const char *native;	/* C type as D writes it, "uint64_t": args[n] is argN as this */
	const char *mapped;	/* args[n] is argN, as the native type, translated to this; NULL: it is not translated */
};

/* The type that args[n] has in a script. */
static inline const char *arg_type(const struct arg_desc *a)
{
	return a->mapped ? a->mapped : a->native;
}

enum { SITE_MAXARGS = 6 };

/*
 * One of the places in the kernel at which a probe fires, where it needs words of D to tell what happens there. The
 * texts are expressions: _raw0 to _raw5 are the words of the context, arg0 ... what the site says.
 */
struct probe_site {
	const char *at;			/* the provider's own: a tracepoint's name */
	const char *when;		/* it fires if this is not 0; NULL: always */
	const char *once;		/* NULL, or: it fires once a process. While this is not 0 the process may come by again */
	const char *task;		/* struct task_struct *, of the thread that it fires for; NULL: the current one */
	unsigned task_word;		/* the word of the context that `task` is, if it is one */
	const char *arg[SITE_MAXARGS];	/* argN */
};

/* All probes known so far, in order of their ids. */
struct probe_set {
	struct arena *arena;
	VEC(struct probe *) list;
	struct map by_name;	/* "prov:mod:func:name" */
	struct map namesakes;	/* "name" -> struct namesakes (registry.c) */
	unsigned late;		/* providers whose `late` was asked and that have enumerated: those before this one */
};

/* Adds a probe (or finds the one of that name). */
struct probe *probe_add(struct probe_set *s, const struct provider *p, const char *mod, const char *func,
			const char *name, void *data);

/* What a provider gets when its probe is armed. */
struct attach_env {
	int prog_fd;			/* the probe's program */
	int alt_fd;			/* its second form as IR_C_RUN (see alt), or -1 */
	const int *cpus;		/* CPUs online now */
	unsigned ncpus;
	const struct ir_prog *prog;
	/* Where a GLOBAL object of the program lies in this process; NULL if it is not part of the program. */
	void *(*global)(struct attach_env *env, const char *name);
	void *arg;
	/* What becomes of the probe's perf events; NULL: nobody wants to know. */
	void (*news)(struct attach_env *env, const struct perf_news *n);
	/* Makes the consumer look at the records now; until when it has acted on all of them. NULL: nobody consumes. */
	void (*wake)(struct attach_env *env);
	uint64_t (*printed)(struct attach_env *env);
	unsigned site;			/* which of the probe's */
	bool typed;			/* the program knows its tracepoint itself */
	const struct profile_opts *profile;	/* options of the profile provider, see profile/profile.h */
	char why[256];			/* filled in when attach fails */
};

struct provider {
	const char *name;
	const struct provider_attr *attr;
	/* All callbacks are optional: NULL means "nothing to do". */

	/* Adds the probes that exist without being named (-l, globs). */
	void (*enumerate)(struct probe_set *s);
	/* Could the description mean a probe of this provider? Where it is there, enumerate waits until one does: a script
	 * that names none of its probes pays nothing for them. */
	bool (*late)(const struct probe_spec *spec);
	/* Creates the probe that an exact name asks for. 1: made; 0: not ours; -1: refused, `why` says the reason. */
	int (*provide)(struct probe_set *s, const struct probe_spec *spec, char *why, size_t n);
	/* Describes the arguments. Returns how many. */
	unsigned (*args)(const struct probe *p, struct arg_desc *out, unsigned max);
	/* What argN is, for warnings about comparisons that can hardly be meant. NULL: ARG_WORD always. */
	enum arg_kind (*arg_kind)(const struct probe *p, unsigned n);
	/* How the probe's function is entered. NULL: IR_C_RUN. */
	enum ir_ctx (*ctx)(const struct probe *p);
	/* True if the clauses are wanted a second time as IR_C_RUN (tick). */
	bool (*alt)(const struct probe *p);
	/* Where the probe fires: its clauses are compiled for each of these. NULL: at one place, of which there is nothing
	 * to say. detach is called once for each that was attached. */
	const struct probe_site *(*sites)(const struct probe *p, unsigned *n);
	/* The gate that the probe shares with others, and its number there. NULL: it has a program of its own. */
	const struct probe_gate *(*gate)(const struct probe *p);
	uint32_t (*number)(const struct probe *p);
	/* Emits the number of the probe of the gate that fires; numbers that no probe has are told from it. Emitted for each
	 * clause anew, so it should be short. */
	ir_reg (*select)(struct ir_builder *b, const struct probe *p);
	/* The session state in which the probe fires. NULL: IR_S_ACTIVE. */
	enum ir_state (*state)(const struct probe *p);
	/* Emits what must happen before the clauses (after the activity check); the firing may be declined by jumping
	 * to `skip`. alt: for the second form. */
	void (*prologue)(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip);
	/* Emits argN (0..9) and returns the register; 0 if the probe has no such argument (it reads as 0). */
	ir_reg (*arg)(struct ir_builder *b, const struct probe *p, unsigned n, bool alt);
	/* Emits errno and returns the register. NULL: it reads as 0. */
	ir_reg (*error)(struct ir_builder *b, const struct probe *p);
	/* Arms. 0 or -errno. The env stays valid until detach. The session may not be active yet: the program then does nothing. */
	int (*attach)(struct probe *p, struct attach_env *env);
	/* The session is active: what fires by the clock begins to count. 0, or -errno and a sentence in env->why. */
	int (*start)(struct probe *p);
	void (*detach)(struct probe *p);
	/* Called by the pacer thread: does what is due, returns when it wants to be called next (CLOCK_MONOTONIC ns),
	 * 0 = never. Only while attached. */
	uint64_t (*pace)(struct probe *p, uint64_t now);
	/* Tracing ends, not by exit(): once more, while the probe is still active. */
	void (*last)(struct probe *p);
	/* For a probe that fires by the clock, before detach: what was due until `end` (CLOCK_MONOTONIC, ns). False: it
	 * does not. Its program counts what it fires in the words of its object NAME.fired. */
	bool (*due)(struct probe *p, uint64_t end, struct probe_due *out);
	/* For an engine that fires probes in this process, after its objects were made: how the probe fires by the clock. out:
	 * each interval of time that a thread runs (each_cpu), or of the clock. NULL or false: it does not fire by it. */
	bool (*clock)(struct probe *p, struct attach_env *env, struct probe_due *out);
	/* Called from time to time by the session: CPUs that came and went. */
	void (*refresh)(struct probe *p, const int *cpus, unsigned ncpus);
};

/* Words of the object NAME.fired: firings by the probe's own event, and in its second form. */
enum { FIRED_SELF, FIRED_ALT, FIRED_WORDS };
#define PROBE_FIRED ".fired"

/* Ends with a NULL. */
extern const struct provider *const providers[];

void probe_set_init(struct probe_set *s, struct arena *a);
/* The enumerate of every provider that is not late, once: dtrace's three probes get the ids 1, 2, 3. */
void probe_set_enumerate(struct probe_set *s);
/* That of the late ones too (-l). */
void probe_set_enumerate_all(struct probe_set *s);

/*
 * All probes that match a description: exact names are created lazily, globs (* ? [..]) match what exists.
 * A name of another system (exece) stands for what is here (execve) where there is nothing of that name.
 * Calls `found` for each in order of id; returns how many. 0: `why` has the reason of a provider that knows one, or "".
 */
unsigned probe_match(struct probe_set *s, const struct probe_spec *spec, void (*found)(void *arg, struct probe *p),
		     void *arg, char *why, size_t n);
/* " (did you mean 'X'?)" for a description that matches nothing, or "": no probe is near, or it is clear what was meant. */
const char *probe_meant(struct probe_set *s, const struct probe_spec *spec);

/* Does the description, which matches nothing, name what only other systems have? Scripts for several of them do. */
bool probe_elsewhere(const struct probe_spec *spec);

/* sh-style glob over a whole string; an empty pattern matches everything. */
bool probe_glob(const char *pattern, const char *s);

/* Names for -lv. */
const char *stability_name(uint8_t st);
const char *stability_class_name(uint8_t sc);
/* "Evolving/Evolving/Common", in upper or lower case. False: it is not that. */
bool stability_parse(const char *s, struct attr *a);

#endif
