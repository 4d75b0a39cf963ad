/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How addresses and stacks are written: "vmlinux`schedule+0x1a", a line a frame. What names there are is asked of the
 * engine's source (struct symbol_ops), or of the machine; nothing is read before an address is shown.
 *
 * Ownership: names_close gives everything back (idempotent). Errors: watching processes, which is told.
 */
#ifndef ENGINE_RUN_NAMES_H
#define ENGINE_RUN_NAMES_H

#include "base/map.h"
#include "engine/symbols/symbols.h"
#include "ir/value.h"
#include "lang/prog.h"

struct names {
	const struct symbol_ops *ops;	/* NULL: the machine's, opened when the first one is asked for */
	void *arg;
	struct symbols *symbols;	/* the machine's */
	bool watching, nomem;
	unsigned indent;
	uint64_t at;			/* when the addresses that are shown were current; 0 = their owners tell */
	uint64_t begun;			/* from then on owners of keys have times; 0 = they have none */
	uint64_t refreshed;		/* when what had happened to processes was last taken in */
	struct {
		struct arena arena;
		struct map map;		/* PID, kind and text of a key that was settled -> its owner and address */
	} texts;
};

/* Does the program record addresses of processes? */
bool names_needed(const struct d_prog *p);
/* Notes from now on what processes map. 0 or -errno. */
int names_watch(struct names *n);
void names_refresh(struct names *n);
/* From time to time: processes are watched on CPUs that have come online, too. */
void names_cpus(struct names *n);
/* How long to wait until names_refresh is due: `ns`, or less while processes are watched: a program may be removed. */
uint64_t names_patience(const struct names *n, uint64_t ns);
/* What names could not be had, and why. The path is good until names_close. */
void names_lacks(const struct names *n, struct symbol_lacks *out);
void names_close(struct names *n);
/* What is known of an address (pid < 0: of the kernel); the file that an address of a process lies in (see
 * symbol_ops.mapping); when names of the process have last changed: all at n->at. */
void names_symbol(struct names *n, int64_t pid, uint64_t addr, struct symbol *out);
bool names_mapping(struct names *n, int64_t pid, uint64_t addr, struct symbol_mapping *out);
uint64_t names_changed(struct names *n, int64_t pid);

/* The functions of struct val_names; arg: struct names *. */
void names_show(void *arg, struct buf *out, const struct val_field *f, const void *base);
void names_addr(void *arg, struct buf *out, int64_t owner, uint64_t addr);
void names_settle(void *arg, const struct val_field *f, void *base);

#endif
