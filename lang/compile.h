/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The compiler: D text in, d_prog out. lang_compile runs the passes in order; each is also available separately. The
 * engines continue from there: bpf_generate (engine/bpf/code/generate.c) translates the IR to BPF, the interpreter runs
 * it.
 *
 * Ownership: the arena of `struct compiler` owns everything; compiler_close frees the BTF.
 * Errors: every pass returns -1 with diagnostics in c->diags.
 */
#ifndef LANG_COMPILE_H
#define LANG_COMPILE_H

#include "lang/options.h"
#include "lang/prog.h"

/* The last completed stage of a compilation; dtr -d shows the program after each. */
enum compile_stage { STAGE_NONE, STAGE_PARSED, STAGE_CHECKED, STAGE_LOWERED, STAGE_OPTIMISED };

enum { PRELUDE_FILES = 4 };

struct own_declaration;

/* A part of a text. */
struct text_part {
	size_t pos, len;
	uint32_t line;		/* of its beginning */
};

struct compiler {
	struct arena *arena;
	struct diags *diags;
	struct d_options opts;
	struct compile_env env;
	struct types types;
	struct probe_set *probes;
	VEC(const struct source *) texts;	/* the script's texts, for lang_compile */
	enum compile_stage stage;
	struct script *script;
	struct d_prog *prog;		/* after STAGE_LOWERED; NULL after errors */
	VEC(const char *) libraries;	/* libraries that were read */
	uint8_t files[PRELUDE_FILES];	/* how far the language's own files have been read (lang/prelude.c) */
	struct map own_inlines;		/* name -> struct own_declaration: theirs, parsed when needed */
	VEC(struct own_declaration *) own_translators;	/* likewise */
	const char *prelude_lack;	/* why prelude.d was not read, although the file exists; or NULL */
	bool full;			/* the memory limit was reached and reported */
	struct {
		struct loc loc;		/* the first name that needs a type of rt/types.h, dtr's own */
		const char *what;	/* or NULL */
	} own;
	struct map exprs;		/* text of a probe_site -> checked tree */
	struct map missing;		/* descriptions that match no probe, each reported once */
	bool uses_caller;		/* the script contains caller */
	unsigned nargs;			/* number of inlines made for args[] */
	bool *arg_used;			/* a macro variable uses args[i] */
};

/* Copies the options and the environment. probes: NULL if only lang_parse is called. */
void compiler_init(struct compiler *c, struct arena *a, struct diags *d, struct probe_set *probes,
		   const struct d_options *opts, const struct compile_env *env);
void compiler_close(struct compiler *c);

/* True if the script exceeds COMPILE_MAXMEM bytes; reported once, as D_LIMIT at `loc`. The caller then stops. Tested
 * for every token, statement and enabling, so that a large script exceeds this limit before it exhausts memory. */
enum { COMPILE_MAXMEM = 1 << 30 };
bool compile_full(struct compiler *c, struct loc loc);

/* Notes where a text first needs a type of dtr's own description. before: types.own_used before its look-up. */
void compile_note_own(struct compiler *c, bool before, struct loc loc, const char *what);

/* For callers that parse the texts themselves: all are parsed. Sets what the options of the texts (script->options)
 * have decided, the engine among it. */
void lang_settle(struct compiler *c, const struct d_options *opts, const struct compile_env *env);
/* Runs the passes up to `last` that have not run yet. Stops after a stage with errors. Returns 0, or -1 if c->diags has
 * errors. */
int lang_compile(struct compiler *c, enum compile_stage last);

/* The passes. */

/* Text -> tree. Several texts (libraries, several -n, -s) form one script. */
int lang_parse(struct compiler *c, const struct source *src);
/* The same for a part of a text. It must consist of whole declarations. */
int lang_parse_part(struct compiler *c, const struct source *src, struct text_part part);
/* Probe descriptions -> probes. Reports D_PDESC_ZERO for a description without a match, unless zdefs. */
int lang_match(struct compiler *c);
/* Names, types, translators, constant parameters, formats. */
int lang_check(struct compiler *c);
/* Typed tree -> IR. NULL on error (D_LIMIT, D_KTYPE). */
struct d_prog *lang_lower(struct compiler *c);

/* Dumps the tree for -d P and -d T. */
void lang_print_tree(struct buf *out, const struct script *s, bool types);

/* Stores the value of an integer constant expression after lang_check. Returns false for any other expression. */
bool node_const(const struct node *n, int64_t *v);

/* Bytes of scratch memory available to a clause. */
static inline uint32_t compile_scratch(const struct d_options *o)
{
	return (uint32_t)(o->strsize > o->scratchsize ? o->strsize : o->scratchsize);
}

#endif
