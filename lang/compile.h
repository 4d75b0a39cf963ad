/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The compiler: D text in, d_prog out, one function per stage, called by engine/session/session.c.
 *
 * Ownership: everything lives in the arena of `struct compiler`; compiler_close frees the BTF.
 * Errors: every stage returns -1 with diagnostics in c->diags.
 */
#ifndef LANG_COMPILE_H
#define LANG_COMPILE_H

#include "lang/options.h"
#include "lang/prog.h"

struct compiler {
	struct arena *arena;
	struct diags *diags;
	struct d_options opts;
	struct compile_env env;
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

/* Copies the options and the environment. probes: NULL if only lang_parse is called. */
void compiler_init(struct compiler *c, struct arena *a, struct diags *d, struct probe_set *probes,
		   const struct d_options *opts, const struct compile_env *env);
void compiler_close(struct compiler *c);

/* True if the script exceeds COMPILE_MAXMEM bytes; reported once, as D_LIMIT at `loc`. The caller then stops.
 * Checked for every token, statement and enabling, so that a large script reaches this limit before the machine's. */
enum { COMPILE_MAXMEM = 1 << 30 };
bool compile_full(struct compiler *c, struct loc loc);

/* Stage 1: text -> tree. Several texts (several -n, -s) append their clauses to one script. Sets options
 * from #pragma D option into script->options; the engine applies them before stage 2. */
int lang_parse(struct compiler *c, const struct source *src);

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
static inline uint32_t compile_scratch(const struct d_options *o)
{
	return (uint32_t)(o->strsize > o->scratchsize ? o->strsize : o->scratchsize);
}

#endif
