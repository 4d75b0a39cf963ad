/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The compiler: D text in, d_prog out, one function per stage, called by engine/session/session.c.
 *
 * Ownership: everything lives in the arena of `struct compiler`; compiler_close frees the BTF.
 * Errors: every stage returns -1 with diagnostics in c->diags.
 */
#ifndef LANG_COMPILE_H
#define LANG_COMPILE_H

#include "lang/prog.h"

struct compile_opts {
	uint32_t strsize;		/* 256 by default; multiple of 8 from 16 to 4096 */
	/* #pragma D option strsize=value in the middle of a text: what holds from there on. NULL: the same as
	 * before. */
	uint32_t (*strsize_now)(void *arg, const char *value);
	void *strsize_arg;
	uint32_t scratchsize;		/* of a clause, at least strsize; 0 = 8192 */
	uint32_t stackframes, ustackframes, jstackframes;	/* default numbers of frames; 0 = 20, 100, 50 */
	const char *amin;		/* least stability, see stability_parse(); NULL: any */
	uint32_t maxframes;		/* most frames; 0 = 127 */
	bool marks;			/* mark truncated stacks (VAL_CUT) */
	uint32_t only_cpu;		/* the number plus one of the only CPU whose firings count; 0 = all */
	unsigned nspec;			/* speculations at a time */
	uint64_t printsize;		/* most bytes that print() records */
	uint64_t specsize;		/* bytes of each on a CPU */
	uint64_t aggsize;		/* bytes of an aggregation's rows on a CPU; 0: no numbered cells */
	bool defaultargs;		/* a missing $1 is 0, a missing $$1 is "" */
	const char *argdefaults;	/* not NULL: $1,$2... that are missing or empty */
	bool zdefs;			/* -Z: a description without probes is no error */
	bool empty;			/* a text may be empty */
	bool destructive;		/* -w */
	bool profself;			/* profile probes share self-> with the others */
	const char *argv0;		/* $0 / $$0: name of the script */
	const char **args;		/* $1... */
	unsigned nargs;
	int64_t target;			/* $target: pid of -p or -c; -1 = none */
	uint32_t lines;			/* $lines: lines of the output's terminal; 0 = not a terminal */
	uint32_t pidns;			/* inode of this process's PID name space; 0: the initial one */
	const char *prelude;		/* path of share/prelude.d; read only when a type or translator of it is named */
	const char *kallsyms;		/* a file with the kernel's symbols; NULL: the running kernel's */
	const char *btf;		/* a file with the kernel's types; NULL: the running kernel's */
};

struct compiler {
	struct arena *arena;
	struct diags *diags;
	struct compile_opts opts;
	struct types types;
	struct probe_set *probes;
	struct script *script;
	VEC(const char *) libraries;	/* those that were read */
	bool prelude_loaded, prelude_failed, constants_loaded;
	bool full;			/* the memory limit was reached and reported */
	struct map exprs;		/* text of a probe_site -> its checked tree */
	struct map missing;		/* descriptions that match nothing, each reported once */
	unsigned nargs;			/* inlines made for args[] */
	bool *arg_used;			/* args[i] was named by a macro */
};

void compiler_init(struct compiler *c, struct arena *a, struct diags *d, struct probe_set *probes,
		   const struct compile_opts *opts);
void compiler_close(struct compiler *c);

/* True if the script exceeds COMPILE_MAXMEM bytes; reported once, as D_LIMIT at `loc`. The caller then stops.
 * Checked for every token, statement and enabling, so that a large script reaches this limit before the machine's. */
enum { COMPILE_MAXMEM = 1 << 30 };
bool compile_full(struct compiler *c, struct loc loc);

/* Stage 1: text -> tree. Several texts (several -n, -s) append their clauses to one script. Sets options
 * from #pragma D option into script->options; the engine applies them before stage 2. */
int lang_parse(struct compiler *c, const struct source *src);
/* A probe description alone (-n without a clause body, -P, -m, -f, -i): appends a clause. */

/* Stage 2: probe descriptions -> probes. D_PDESC_ZERO unless zdefs. */
int lang_match(struct compiler *c);
/* Stage 3: names, types, translators, constant parameters, formats. */
int lang_check(struct compiler *c);
/* Stage 4: typed tree -> IR. NULL on error (D_LIMIT, D_KTYPE). */
struct d_prog *lang_lower(struct compiler *c);

/* Dumps for -d P and -d T. */
void lang_print_tree(struct buf *out, const struct script *s, bool types);

/* Stores the value of an integer constant expression after lang_check. Returns false if it is not one. */
bool node_const(const struct node *n, int64_t *v);

/* Bytes of scratch memory that a clause can allocate. */
static inline uint32_t compile_scratch(const struct compile_opts *o)
{
	uint32_t size = o->scratchsize ? o->scratchsize : 8192;

	return o->strsize > size ? o->strsize : size;
}

#endif
