/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Providers publish probes. A new provider is one folder and one line in providers/local.mk.
 *
 * Ownership: probes and their private data live in the session's arena; descriptors belong to the probe
 * and are closed by detach, which is idempotent.
 * Errors: see each callback; attach returns -errno with a sentence in env->reason.
 */
#ifndef PROVIDERS_PROVIDER_H
#define PROVIDERS_PROVIDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "ir/ir.h"
#include "providers/fact.h"

/* DTrace's stability classes, for -lv, -v and -x amin. The names are libdtrace's. */
enum stability { ST_INTERNAL, ST_PRIVATE, ST_OBSOLETE, ST_EXTERNAL, ST_UNSTABLE, ST_EVOLVING, ST_STABLE, ST_STANDARD };
enum stability_class { SC_UNKNOWN, SC_CPU, SC_PLATFORM, SC_GROUP, SC_ISA, SC_COMMON };

struct attr {
	uint8_t name, data, class;	/* enum stability, stability, stability_class */
};

struct provider_attr {
	struct attr provider, module, function, probename, args;
};

/* ARG_NARROW: at most 32 bits, in a register with a zero upper half. ARG_RESULT: a result, -errno on failure. */
enum arg_kind { ARG_WORD, ARG_NARROW, ARG_RESULT };

/* A probe description as typed; empty parts match everything. */
struct probe_spec {
	const char *prov, *mod, *func, *name;	/* never NULL */
	const char *text;			/* as typed, for messages */
	const char *path;			/* of a path in mod: the one without symbolic links; NULL: the same */
	uint32_t id;				/* a probe ID instead of a description; 0 = none */
	struct loc loc;
};

struct provider;
struct perf_change;

/*
 * Probes that share an attach point and a program, distinguished by a number in the context. A clause is compiled once
 * for all of these probes that it names.
 */
struct probe_gate {
	const char *name;		/* the program's name */
	uint32_t numbers;		/* upper limit of the numbers (exclusive) */
	/* Probes without names that can be filled in while the program runs, of processes that load other files. NULL:
	 * none. */
	struct probe **spare;
	uint32_t nspare;
	bool turns;			/* the program runs several times for one firing (struct ir_func.turns) */
};

/* The number of firings due for a probe that fires by the clock. */
struct probe_due {
	uint64_t interval;		/* ns */
	bool each_cpu;			/* on every CPU, from the times reported by env->changed; otherwise: */
	uint64_t expected;		/* total number of firings due */
	/* Not 0: it fires by a count, not by the clock (interval is 0): one firing is due for so many units of the
	 * event on its CPU (perf_change.count). */
	uint64_t period;
};

struct probe {
	uint32_t id;			/* DTrace's probe ID, from 1 */
	const struct provider *prov;
	const char *provname, *mod, *func, *name;
	void *data;			/* the provider's private data */
	struct probe *next;		/* the next probe with the same name */
	uint64_t func_hash;
};

struct arg_part {
	const char *name, *type, *value;	/* D type, D expression */
};

struct arg_desc {
	const char *native;	/* D type, "uint64_t": args[n] is argN converted to it */
	const char *mapped;	/* type to which args[n] is translated; NULL: not translated */
	const char *value;	/* D expression that is converted instead of argN; NULL: argN */
	const char *name;	/* of the parameter, for -lv; NULL: unknown */
	const struct arg_part *parts;	/* args[n].NAME: values that are elsewhere; such an argument is no structure */
	unsigned nparts;
};

/* The type of args[n] in a script. */
static inline const char *arg_type(const struct arg_desc *a)
{
	return a->mapped ? a->mapped : a->native;
}

enum { SITE_MAXARGS = 6 };

/*
 * A place where a probe fires, described by D expressions. In them _raw0 to _raw5 are the words of the
 * context, and arg0 ... the arguments of the site.
 */
struct probe_site {
	const char *at;			/* the attach point: a tracepoint, or the name of: */
	uint32_t software;		/* a perf event of the kernel (PERF_COUNT_SW_...), without words; 0: none */
	enum ir_ctx ctx;		/* the context, if it is not the probe's; IR_C_RUN: it is */
	const char *needs;		/* a file that kernels with the tracepoint have; NULL: all have it */
	const char *when;		/* condition of the firing; NULL: always */
	bool timed;			/* `when` reads timestamp */
	const char *once;		/* if not NULL: fires once per process; nonzero: another firing could follow */
	const char *task;		/* struct task_struct * of the firing's thread; NULL: the current thread */
	unsigned task_word;		/* index of the context word that `task` is, if any */
	const char *arg[SITE_MAXARGS];	/* argN */
};

struct links;
struct site_row;
struct program_ops;
struct program_region;
struct programs;

/* All probes known so far, in order of ID. */
struct probe_set {
	struct arena *arena;
	const struct program_ops *programs;	/* the code of processes (providers/program.h); NULL: not available */
	struct programs *code;			/* its argument */
	int64_t target;			/* the process to which patterns of processes are limited; 0: none */
	const int64_t *targets;		/* the same, and others */
	size_t ntargets;
	bool lineblocks;		/* `line` probes of one basic block fire together */
	bool linepaths;			/* their source files are named by whole paths */
	bool uretprobe;			/* `return` of `pid` fires after the return, at the caller, where it can */
	bool tailreturn;		/* the same for functions that end with a tail call */
	uint64_t maxfirings;		/* probes of `pid*` that fire more often in a second are disarmed; 0: none */
	bool followfork;		/* probes also fire in processes that theirs create (providers/family.h) */
	bool runs;			/* descriptions are matched for a program that will run, not for a list */
	bool waits;			/* a description may match nothing at first (-Z) */
	bool everywhere;		/* a description also means processes that start later */
	VEC(int64_t) families;		/* if so: processes of descriptions; their families are numbered from 1 */
	enum diag_tag refused;		/* set by a provider that refuses a probe with a tag and a message of its own */
	struct kernel_facts facts;		/* of the kernel in which the probes are */
	struct map states;		/* const struct provider * -> probe_state */
	VEC(struct probe *) list;
	struct map by_name;	/* "prov:mod:func:name" */
	struct map namesakes;	/* "name" -> struct namesakes (registry.c) */
	unsigned late;		/* late providers before this index have enumerated */
};

/* The four parts of a probe's name. */
struct probe_names {
	const char *prov, *mod, *func, *name;
};

/* Adds a probe, or returns the existing one. Parts that are NULL: the provider's name; empty. The provider part is not
 * copied. */
struct probe *probe_add(struct probe_set *s, const struct provider *p, const struct probe_names *names, void *data);
/* A pointer of the provider's own in this set, at first NULL. Valid until the next call. */
void **probe_state_of(struct probe_set *s, const struct provider *p);
/* The process ID in the provider part of a description that names a provider with processes (pid123): -1: it does not
 * name it; 0: the ID is missing or invalid. */
int64_t probe_process(const struct probe_spec *spec, const struct provider *p);
/* The end of the message that this is no process ID: how to set $target, if the ID is 0; otherwise empty. */
const char *probe_process_hint(const struct probe_spec *spec);
/* The process whose probes a description of any provider means; 0: none, or several. */
int64_t probe_process_of(const struct probe_set *s, const struct probe_spec *spec);

/* True if the provider part is a pattern that means a process: pid*, python*. */
bool probe_means_target(const struct probe_spec *spec);
/* That pattern for this process: pid123, python*123. NULL: it does not match the process. */
const char *probe_prov_of_target(struct arena *a, const struct probe_spec *spec, int64_t pid);

/* True if the description names a provider with processes whose probes have its name (pid123). */
bool probe_names_provider(const struct probe_spec *spec);
/* True if the description names a provider with processes, or may mean its probes. */
bool probe_in_process(const struct probe_spec *spec);
/* True if its provider part matches a provider of the kernel's probes. */
bool probe_names_kernel(const struct probe_spec *spec);
/* Adds a probe without names. */
struct probe *probe_add_spare(struct probe_set *s, const struct provider *p, void *data);
/* The probe with these names, or NULL. */
struct probe *probe_named(const struct probe_set *s, const struct probe_names *names);
/* Gives a spare probe its names. */
void probe_fill(struct probe_set *s, struct probe *p, const struct probe_names *names);
/* Where a provider says why it refuses a description. */
struct probe_answer {
	struct probe_set *set;
	char *reason;
	size_t room;
};
/* Refuses it with a tag and a message of its own. Returns -1. */
int probe_refuse(const struct probe_answer *to, enum diag_tag tag, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* True if the description matches the probe. */
bool probe_is_meant(const struct probe *p, const struct probe_spec *spec);

/* struct provider_everywhere.means of the provider that a description names. */
bool probe_everywhere(const struct probe_set *s, const struct probe_spec *spec);
/* True if a description that matches nothing may match later: in a process that starts then, or a child of the
 * target (-x followfork). */
bool probe_may_come(const struct probe_set *s, const struct probe_spec *spec);
/* struct provider_gates.anchors of the provider that a description names. */
unsigned probe_anchors(struct probe_set *s, const struct probe_spec *spec, struct probe **out);

/* A process has mapped other files, or executed another program (struct provider_processes.follow). */
struct probe_follow {
	struct probe_set *set;
	int64_t pid;
	int64_t named;			/* the process that descriptions name: pid, or one of its family (family.h) */
	/* Called for each spare probe that got names, before it is attached. */
	void (*filled)(void *arg, struct probe *p);
	void *arg;
	/* Only for struct provider_everywhere.mapped: the file, and what makes the engine report the next mapping of a
	 * file with this inode number. */
	const struct program_region *region;
	bool known;			/* it may have been examined before */
	void (*forget)(void *arg, uint64_t ino);
	char warning[400];		/* set if not all probes could be attached; else "" */
};

/* The environment of an attached probe. */
struct attach_env {
	int prog_fd;			/* the probe's program */
	int alt_fd;			/* program of the second form as IR_C_RUN (see alt), or -1 */
	const int *cpus;		/* CPUs online now */
	unsigned ncpus;
	const struct ir_prog *prog;
	/* The address in this process of a GLOBAL object of the program; NULL if the program does not have it. */
	void *(*global)(struct attach_env *env, const char *name);
	void *arg;
	/* Reports changes to the probe's perf events; may be NULL. */
	void (*changed)(struct attach_env *env, const struct perf_change *n);
	/* wake: wakes the consumer. printed: the time (ns) up to which it has processed all records. NULL: no
	 * consumer. */
	void (*wake)(struct attach_env *env);
	uint64_t (*printed)(struct attach_env *env);
	unsigned site;			/* index of the site */
	bool typed;			/* the program was loaded for its tracepoint */
	bool turns;			/* the program runs all turns of a firing (probe_gate.turns) */
	bool lasting;			/* attach so that `links` are enough when this process has ended */
	const char *clock_source;		/* drives probes that fire by the clock (-x profsrc); NULL:
						 * the default */
	char reason[256];			/* set if attach fails */
	char warning[256];			/* set if only a part was attached */
};

enum { PROBE_ANCHORS = 4 };

/* For probes that share programs: several probes of one attach point, distinguished by a number in the context. */
struct provider_gates {
	/* The probe's gate. NULL: the probe has its own program. */
	const struct probe_gate *(*gate)(const struct probe *p);
	/* Called before the other functions, after all descriptions were matched: sets `spare` and `numbers`. NULL:
	 * they are set. */
	void (*reserve)(struct probe_set *s, const struct probe *p);
	/* Stores for each gate at which a description may get probes while the program runs one that never fires,
	 * so that clauses without other probes are compiled for it. Returns their number, at most PROBE_ANCHORS.
	 * NULL: 0. */
	unsigned (*anchors)(struct probe_set *s, const struct probe_spec *spec, struct probe **out);
	/* The probe's number at the gate. */
	uint32_t (*number)(const struct probe *p);
	/* Emits code for the number of the firing probe, or of no probe. Emitted in each clause, so it should be
	 * short. */
	ir_reg (*select)(struct ir_builder *b, const struct probe *p);
};

/* For probes that fire at several places in the kernel, or under a condition. */
struct provider_sites {
	/* The probe's sites and their number. Clauses are compiled for each site; detach is called once for each
	 * attached site. */
	const struct probe_site *(*list)(const struct probe *p, unsigned *n);
	const struct site_row *rows;	/* of a provider that is a table (providers/site/site.h); else NULL */
	size_t nrows;
	bool prelude;			/* the sites use names of the prelude */
	/* D expressions: the addresses where kernel code begins that `caller` passes over, and where it ends. NULL:
	 * `caller` is the second frame. */
	const char *inside, *outside;
};

/* For probes that fire by the clock. Callbacks may be NULL unless marked as required. */
struct provider_clock {
	/* True if the clauses are also compiled as IR_C_RUN (tick). */
	bool (*alt)(const struct probe *p);
	/* Starts the clock when the session becomes active. Returns 0, or -errno with a sentence in env->reason. */
	int (*start)(struct probe *p);
	/* The largest factor, a power of two, by which `slow` can lower the rate; before attach: could, with the
	 * default clock source. NULL: 1. */
	unsigned (*slowest)(const struct probe *p);
	/* While it is active: from now on it fires once in `factor` intervals (1: in each). Reports the changes of its
	 * perf events. */
	void (*slow)(struct probe *p, unsigned factor);
	/* Called periodically, to follow CPUs that go online or offline. */
	void (*refresh)(struct probe *p, const int *cpus, unsigned ncpus);
	/* Called by the pacer thread while attached: fires what is due. Returns the time of the next call
	 * (CLOCK_MONOTONIC, ns); 0 = never. */
	uint64_t (*pace)(struct probe *p, uint64_t now);
	/* Called when tracing ends without exit(), while the probe is still active. */
	void (*last)(struct probe *p);
	/* Required. Called before detach: the firings due until `end` (CLOCK_MONOTONIC, ns). False: this probe does not
	 * fire by the clock. Its program counts firings in the object NAME.fired. */
	bool (*due)(struct probe *p, uint64_t end, struct probe_due *out);
	/* Required. For an engine in this process, after it created its objects: the interval of firings, in run time
	 * of threads (each_cpu) or by the clock. False: this probe does not fire by the clock. */
	bool (*interval)(struct probe *p, struct attach_env *env, struct probe_due *out);
};

/* For probes whose descriptions are not compared part by part, or that are not known before one names them. */
struct provider_matching {
	/* Its probes have provider names of their own (python123). True if a description may mean some of them; then
	 * `provide` is called for it, patterns too, and may create several probes. */
	bool (*claims)(const struct probe_spec *spec);
	/* True if a description may mean some of its probes; then `provide` is called for it, patterns too, and may
	 * create several probes. */
	bool (*patterns)(const struct probe_spec *spec);
	/* The process whose probes such a description means; 0: unknown, or several. */
	int64_t (*process)(const struct probe_set *s, const struct probe_spec *spec);
	/* False if this kernel does not have the probe: `enumerate` may add probes before that is known. NULL: it has
	 * all. */
	bool (*exists)(const struct probe *p);
	/* True if a description matches the probe. NULL: each part is compared as a pattern. */
	bool (*matches)(const struct probe *p, const struct probe_spec *spec);
};

/* What clauses may read besides argN, and what is special about argN. */
struct provider_values {
	/* The kind of argN, for warnings about doubtful comparisons. NULL: always ARG_WORD. */
	enum arg_kind (*kind)(const struct probe *p, unsigned n);
	/* Why argN cannot be read at this probe; NULL: it can be. */
	const char *(*lacks)(const struct probe *p, unsigned n);
	/* Emits code that stores the first six arguments of a call, words, at `to`. NULL: they read as 0. */
	void (*registers)(struct ir_builder *b, struct ir_arg to);
	/* Emits code for errno and returns the register. NULL: errno reads as 0. */
	ir_reg (*error)(struct ir_builder *b, const struct probe *p);
	/* Emits code for _emulated, whether the kernel emulates the instruction where the probe is, and returns the
	 * register. NULL: it reads as 0. */
	ir_reg (*emulated)(struct ir_builder *b);
};

/* For probes whose firings are not like those of others. */
struct provider_firing {
	/* The session state in which the probe fires. NULL: IR_S_ACTIVE. */
	enum ir_state (*state)(const struct probe *p);
	/* Emits code before the check of the session's state. NULL: none. */
	void (*early)(struct ir_builder *b, const struct probe *p);
	/* With this option unset, thread-local variables (self->) in clauses of this provider's probes are separate
	 * from those of all other probes. NULL: always shared. */
	const char *self_option;
};

/* What the kernel has of an attached probe. */
struct provider_attached {
	/* After attach with env->lasting: the links that keep the probe attached, which may be pinned. Valid until
	 * detach. NULL, or returns NULL: the probe needs this process. */
	const struct links *(*links)(const struct probe *p);
	/* The firings of an attached probe (of its gate) so far that the kernel has counted as missed at returns. */
	uint64_t (*missed)(const struct probe *p);
	/* Firings so far that the kernel dropped because the same CPU was in a program of a probe, and that the
	 * program's own count (recursion_misses) lacks. NULL: none. */
	uint64_t (*nested)(const struct probe *p);
};

/* For probes in processes. The provider part of a description is the name and a process ID. Then `provide` is called
 * for every description that names the provider, patterns too, and may create several probes. */
struct provider_processes {
	/* True if the probe fires before others at the same instruction. NULL: none does. */
	bool (*fires_first)(const struct probe *p);
	/* After attach: attaches the probes that descriptions mean in files that the process has mapped since. */
	void (*follow)(struct probe_follow *f);
	/* The process whose changes of files concern the probe, although it has no anchor: `follow` is called for it.
	 * 0: none. */
	int64_t (*moves)(const struct probe *p);
};

/* For descriptions that also mean processes that start later. */
struct provider_everywhere {
	/* Required. True if the description also means processes that start later, whichever they are. */
	bool (*means)(const struct probe_set *s, const struct probe_spec *spec);
	/* After attach: attaches the probes that such descriptions mean in f->region, a file that a process has
	 * mapped. */
	void (*mapped)(struct probe_follow *f);
	/* After attach, ten times a second: disarms probes that fire too often (probe_set.maxfirings) and reports them
	 * in f->warning. */
	void (*limit)(struct probe_follow *f);
	/* When tracing has ended: f->warning says if descriptions that may match later have matched nothing. */
	void (*unmet)(struct probe_follow *f);
};

/* Callbacks and tables may be NULL unless marked as required. */
struct provider {
	const char *name;			/* required */
	const struct provider_attr *attr;
	const struct provider_gates *gates;
	const struct provider_sites *sites;
	const struct provider_clock *clock;
	const struct provider_matching *matching;
	const struct provider_values *values;
	const struct provider_firing *firing;
	const struct provider_attached *attached;
	const struct provider_processes *processes;
	const struct provider_everywhere *everywhere;

	/* Adds the probes that exist before first use (-l, globs). */
	void (*enumerate)(const struct provider *self, struct probe_set *s);
	/* True if the description may match a probe of this provider. If not NULL, enumerate is only called after that,
	 * so that other scripts do not pay for it. */
	bool (*late)(const struct provider *self, const struct probe_spec *spec);
	/* Creates the probe with this exact name. Returns 1: created; 0: not of this provider; -1: refused, with the
	 * reason in reason[n]; with s->refused, it is the whole message. */
	int (*provide)(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		       size_t n);
	/* Describes the arguments. Returns their number. */
	unsigned (*args)(const struct probe *p, struct arg_desc *out, unsigned max);
	/* The context of the probe's function. NULL: IR_C_RUN. */
	enum ir_ctx (*ctx)(const struct probe *p);
	/* Emits code before the clauses (after the check of the session's state). It cancels the firing by a jump to
	 * `skip`. alt: second form. */
	void (*prologue)(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip);
	/* Emits code for argN (0..9) and returns the register; 0 if the probe has no such argument, which then reads as
	 * 0. */
	ir_reg (*arg)(struct ir_builder *b, const struct probe *p, unsigned n, bool alt);
	/* Attaches the probe. Returns 0 or -errno. env stays valid until detach. Programs do nothing until the session
	 * is active. */
	int (*attach)(struct probe *p, struct attach_env *env);
	void (*detach)(struct probe *p);
};

static inline enum ir_ctx probe_ctx(const struct probe *p)
{
	return p->prov->ctx ? p->prov->ctx(p) : IR_C_RUN;
}

/* The session state in which the probe fires. */
static inline enum ir_state probe_state(const struct probe *p)
{
	return p->prov->firing && p->prov->firing->state ? p->prov->firing->state(p) : IR_S_ACTIVE;
}

/* False: only its name is in the set. */
static inline bool probe_exists(const struct probe *p)
{
	const struct provider_matching *m = p->prov->matching;

	return !m || !m->exists || m->exists(p);
}

/* True if the probe's clauses are also compiled as IR_C_RUN. */
static inline bool probe_has_alt(const struct probe *p)
{
	return p->prov->clock && p->prov->clock->alt && p->prov->clock->alt(p);
}

/* The largest factor by which the probe's rate can be lowered; 1: not at all. */
static inline unsigned probe_slowest(const struct probe *p)
{
	return p->prov->clock && p->prov->clock->slowest ? p->prov->clock->slowest(p) : 1;
}

/* The gate that the probe shares with others, or NULL. */
static inline const struct probe_gate *probe_gate_of(const struct probe *p)
{
	return p->prov->gates ? p->prov->gates->gate(p) : NULL;
}

/*
 * Words of the object NAME.fired on each CPU: firings by the probe's event, and by its second form; with
 * probe_due.period: runs of the program in any state of the session. With -x maxcost also two that the engine sets: how
 * many intervals are left out before each firing; and how many more the next firing stands for, because the event is a
 * new one: half a period, the mean of what is missing at its end.
 */
enum { FIRED_SELF, FIRED_ALT, FIRED_RUNS, FIRED_RATE, FIRED_MORE, FIRED_WORDS };
#define PROBE_FIRED ".fired"

/* Terminated by NULL. */
extern const struct provider *const providers[];

void probe_set_init(struct probe_set *s, struct arena *a);
/* Enumerates every provider that is not late, once; the three probes of dtrace get the IDs 1, 2, 3. */
void probe_set_enumerate(struct probe_set *s);
/* Also enumerates late providers (-l). */
void probe_set_enumerate_all(struct probe_set *s);

/* Who gets the probes that a description means. */
struct probe_sink {
	void (*found)(void *arg, struct probe *p);
	void *arg;
};

/*
 * Finds all probes that match a description. Exact names are created on first use; globs (* ? [..]) match existing
 * probes. If the name does not exist but is another system's (exece), the local one (execve) is used. Calls to->found
 * for each probe in order of ID and returns their number. If 0, `reason` has the reason if a provider knows it, else
 * "".
 */
unsigned probe_match(struct probe_set *s, const struct probe_spec *spec, const struct probe_sink *to, char *reason,
		     size_t n);
/* The name itself, if other systems have a provider of this name and this version of dtr has not; else NULL. */
const char *probe_foreign_provider(const char *name);
/* " (did you mean 'X'?)" for a description that matches nothing, or "" if no probe is similar. */
const char *probe_suggestion(struct probe_set *s, const struct probe_spec *spec);

/* The function of a description that matches nothing, if only other systems have it: portable scripts name their
 * probes, too. For a pattern, the first name that it matches there. NULL: no other system has it, or Linux has an
 * equivalent. */
const char *probe_is_foreign(const struct probe_spec *spec);

/* Matches an sh-style glob with a whole string; an empty pattern matches everything. */
bool probe_glob(const char *pattern, const char *s);

/* Names for -lv. */
const char *stability_name(uint8_t st);
const char *stability_class_name(uint8_t sc);
/* Parses "Evolving/Evolving/Common", in upper or lower case. Returns false if it is malformed. */
bool stability_parse(const char *s, struct attr *a);

#endif
