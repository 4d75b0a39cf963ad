/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of the usdt provider. A probe is a place, or several, that a program or a library declares by notes
 * (<sys/sdt.h>). Its provider name is that of the note and the process ID: python1234. All probes share one program, a
 * gate; a cookie says which one fires, and at which of its places, because each place has its arguments elsewhere.
 *
 * Ownership: the arena of the probe set, except the descriptors (struct links).
 * Errors: see each function.
 */
#ifndef PROVIDERS_USDT_USDT_H
#define PROVIDERS_USDT_USDT_H

#include <sys/types.h>

#include "providers/files.h"
#include "providers/modules.h"
#include "providers/program.h"
#include "providers/provider.h"
#include "providers/uprobe.h"
#include "providers/usdt/operand.h"

/* D has arg0 to arg9. */
enum { USDT_ARGS = 10 };
/* A cookie is the number of the probe, and from this bit on that of the row. */
enum { USDT_ROW_BITS = 32 };

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

/* A place that a note of a file declares, and the probe to which it belongs. */
struct usdt_place {
	const struct program_module *module;
	const struct program_note *note;
	struct probe_names names;
	const char *plain;		/* the function's name in its language; NULL: the same */
};

/* Private data of a probe. */
struct usdt_probe {
	struct usdt_state *state;
	uint32_t number;		/* at the gate */
	int64_t pid;			/* 0: all processes */
	const struct program_module *module;
	const char *plain;		/* the function's name in its language; NULL: the same */
	const char *note;		/* the name that the note has: function__entry */
	VEC(struct usdt_site) sites;
	/* only with pid 0 */
	size_t uses;			/* places, in all files */
	struct file_names named;	/* of a spare probe */
	uint64_t freed;			/* if not 0: time when its last file was removed */
};

typedef VEC(struct probe *) usdt_probes;

enum { USDT_SPARE_ROWS = 256 };

/* The provider's state in a probe set. */
struct usdt_state {
	struct probe_set *set;
	struct probe_gate gate;
	usdt_probes probes;		/* by number; the spare ones last */
	VEC(struct usdt_row) rows;
	struct map rows_by_text;	/* -> number of the row + 1, before the program runs */
	struct links uprobes;
	/* probes that are found while the program runs */
	struct probe *anchor;		/* struct provider_gates.anchors; NULL: there will be none */
	uint32_t filled;		/* spare probes that have names */
	size_t compiled;		/* rows when the program was made */
	usdt_probes fresh;		/* not attached yet */
	struct attach_env *env;		/* NULL: not attached */
	struct spec_list specs;		/* all descriptions */
	struct module_list seen;	/* files whose notes were compared with them */
	size_t lost;			/* probes for which there was no room */
	uint32_t row_uses[USDT_SPARE_ROWS];	/* of the rows from `compiled` on: places that use them */
	size_t ways[USDT_ARGS];		/* how each argument is fetched when the program was made (code.c) */
	/* probes of all processes */
	struct traced_files files;
};

/* The probes of a description while they are searched. */
struct usdt_find {
	struct probe_set *set;
	struct usdt_state *state;
	struct probe_spec spec;
	struct programs *code;		/* with which the file is examined */
	struct arena *arena;		/* for what is needed as long */
	int64_t pid;			/* 0: all processes */
	struct traced_file *file;		/* then; NULL: such probes are not wanted */
	int64_t examined;		/* the first process that could be examined; 0: none */
	char refused[192];		/* why the first of the others could not be examined */
	bool provider;			/* the process has probes of a provider that the description means */
	size_t found;
	struct probe_follow *follow;	/* the program runs; NULL: it is being compiled */
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
int usdt_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		 size_t n);
bool usdt_matches(const struct probe *p, const struct probe_spec *spec);
/* As in struct provider. */
int64_t usdt_process(const struct probe_set *s, const struct probe_spec *spec);
/* Finds the probes of a description in one file of a process. */
void usdt_find_file(struct usdt_find *f, const struct program_module *m);

/* ---- follow.c ---- */
/* As in struct provider and struct provider_gates. */
void usdt_follow(struct probe_follow *w);
void usdt_reserve(struct probe_set *s, const struct probe *p);
unsigned usdt_anchors(struct probe_set *s, const struct probe_spec *spec, struct probe **out);
/* While the program runs: a spare probe with these names, or the one that another file had before. Returns NULL if
 * there is no room. */
struct probe *usdt_fill(struct usdt_find *f, const struct usdt_place *x);
/* To be called when all its fields are set: it will be attached. */
void usdt_filled(struct usdt_find *f, struct probe *p);

/* ---- files.c: probes of all processes ---- */
/* As in struct provider. */
bool usdt_everywhere(const struct probe_set *s, const struct probe_spec *spec);
void usdt_mapped(struct probe_follow *w);
void usdt_files_init(struct usdt_state *st);
/* While the program runs: the probe with these names; NULL: there is no room. */
struct probe *usdt_file_probe(struct usdt_find *f, const struct usdt_place *x);
/* Adds a place of the probe to f->file, unless it has it. */
void usdt_file_site(struct usdt_find *f, const struct probe *p, const struct usdt_place *x);
/* Attaches the files that were found before the program runs. As usdt_attach_fresh. */
int usdt_files_attach(struct usdt_state *st);

/* ---- row.c ---- */
/* The number of the row with the arguments of a place; UINT32_MAX: the program runs and has no room. */
uint32_t usdt_row_of(struct usdt_find *f, const struct program_module *m, const struct program_note *note);
/* Counts that a place uses the row (by = 1), or does so no longer (-1). */
void usdt_row_use(struct usdt_state *st, uint32_t row, int by);

/* ---- code.c ---- */
void usdt_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip);
ir_reg usdt_select(struct ir_builder *b, const struct probe *p);
ir_reg usdt_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt);
/* While the program runs: sets the process of a probe, and where the arguments of a row are. */
void usdt_set_process(const struct usdt_state *st, const struct probe *p);
void usdt_set_row(const struct usdt_state *st, size_t row);

/* ---- attach.c ---- */
int usdt_attach(struct probe *p, struct attach_env *env);
void usdt_detach(struct probe *p);
/* Attaches st->fresh and empties it. Returns 0, or -errno with a sentence in st->env->reason. */
int usdt_attach_fresh(struct usdt_state *st);

#endif
