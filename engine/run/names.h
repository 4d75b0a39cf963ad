/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Formats addresses and stacks: "vmlinux`schedule+0x1a", one line per frame. Symbols come from the engine (struct
 * symbol_ops) or from this machine; nothing is read before an address is shown.
 *
 * Ownership: names_close releases everything (idempotent). Errors: names_watch.
 */
#ifndef ENGINE_RUN_NAMES_H
#define ENGINE_RUN_NAMES_H

#include "base/map.h"
#include "engine/run/texts.h"
#include "engine/run/unnamed.h"
#include "engine/symbols/demangle.h"
#include "engine/symbols/symbols.h"
#include "ir/value.h"
#include "lang/prog.h"

struct backend;

struct names {
	const struct symbol_ops *ops;	/* NULL: this machine's symbols, opened on first use */
	void *arg;
	struct symbols *symbols;	/* this machine's symbols */
	struct {			/* asked for the kernel's first: backend_symbols.kernel; NULL: none */
		bool (*find)(struct backend *b, uint64_t addr, struct symbol *out);
		struct backend *arg;
		struct arena arena;
		struct map modules;	/* name -> the base of all its symbols */
	} kernel;
	bool watching, nomem;
	unsigned indent;
	bool inlined, places;		/* -x stackinline, stacklines */
	bool numbers;			/* -x noresolve: addresses of processes have no names */
	struct source_lines *lines;		/* opened when they are needed */
	struct demangler demangler;	/* for names of inlined functions */
	uint64_t at;			/* time of the addresses being shown, ns; 0 = the time of their owners */
	uint64_t begun;			/* owners in keys have times from this time on; 0 = never */
	uint64_t refreshed;		/* when process events were last read */
	struct containers *containers;	/* control groups; NULL: they are shown as numbers. Of the session */
	struct unnamed unnamed;		/* samples shown in code without names */
	uint64_t weight;		/* samples for which the next address stands; 0: one */
	struct frame_texts frames;	/* of keys that names_name has changed */
	struct {
		struct arena arena;
		struct map map;		/* PID, kind and text of a settled key -> its owner and address */
	} texts;
};

/* True if the program records addresses in processes. */
bool names_needed(const struct d_prog *p);
/* Starts recording mappings of processes. Returns 0 or -errno. */
int names_watch(struct names *n);
void names_refresh(struct names *n);
/* Call this periodically: it also watches CPUs that came online. */
void names_cpus(struct names *n);
/* Returns the ns until names_refresh is due: `ns`, or less while processes are watched, because their files may be
 * removed. */
uint64_t names_patience(const struct names *n, uint64_t ns);
/* Stores which symbols were not available, and why. The path is valid until names_close. */
void names_lacks(const struct names *n, struct symbol_lacks *out);
void names_close(struct names *n);
/* At time n->at: the symbol of an address (pid < 0: in the kernel); the file mapped at an address of a process (see
 * symbol_ops.mapping); when the symbols of a process last changed. */
void names_symbol(struct names *n, int64_t pid, uint64_t addr, struct symbol *out);
bool names_mapping(struct names *n, int64_t pid, uint64_t addr, struct symbol_mapping *out);
uint64_t names_changed(struct names *n, int64_t pid);
/* The file that contains an address of an owner, or of the kernel (owner < 0); see symbol_ops.code. */
bool names_code(struct names *n, int64_t owner, uint64_t addr, struct symbol_code *out);

/* Implement struct val_names; arg is the struct names. */
void names_show(void *arg, struct buf *out, const struct val_field *f, const void *base);
void names_addr(void *arg, struct buf *out, int64_t owner, uint64_t addr);
void names_frames(void *arg, int64_t owner, uint64_t addr, bool call, val_frame_fn *fn, void *to);
void names_weigh(void *arg, uint64_t samples);
void names_settle(void *arg, const struct val_field *f, void *base);
int names_compare(void *arg, uint64_t a, uint64_t b);

/* True if the addresses in a key field are to be replaced by texts: the process has ended; all: also if it has not. */
bool names_due(struct names *n, const struct val_field *f, const void *base, bool all);
/* Replaces them, and the owner by TEXTS_OWNER (texts.h), if names_due. Returns false if nothing was replaced, or if
 * memory ran out: then the field may have been changed in part. */
bool names_name(struct names *n, const struct val_field *f, void *base, bool all);

#endif
