/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file of the running kernel that has its debugging information. Distributions install it as a package of its own.
 * Its addresses are those at which the kernel was linked; the kernel may run at others.
 *
 * Ownership: vmlinux_close frees everything (idempotent; a zeroed struct is closed).
 * Errors: vmlinux_open returns false; then `why` says what is missing.
 */
#ifndef ENGINE_SYMBOLS_VMLINUX_H
#define ENGINE_SYMBOLS_VMLINUX_H

#include "engine/symbols/kallsyms.h"
#include "engine/symbols/object.h"

struct vmlinux {
	struct object *object;		/* NULL: not open */
	uint64_t slide;			/* an address in memory less that in the file */
	char why[320];
};

/* Where to search. */
struct vmlinux_places {
	const char *const *paths;	/* formats with one %s, the release; NULL ends them */
	const char *release;		/* of the kernel: "6.1.0-18-amd64" */
	const uint8_t *id;		/* its build ID */
	unsigned idlen;			/* 0: unknown; then any file of this release will do */
};

/* Opens the first file that has debugging information and belongs to this kernel, by its build ID. k: the kernel's
 * symbols. */
bool vmlinux_open(struct vmlinux *v, const struct vmlinux_places *p, const struct kallsyms *k);
/* The same for the running kernel. */
bool vmlinux_open_running(struct vmlinux *v, const struct kallsyms *k);
void vmlinux_close(struct vmlinux *v);
/* Converts an address in memory to an offset in the file. Returns false if it is not in the file. */
bool vmlinux_offset(const struct vmlinux *v, uint64_t addr, uint64_t *off);

#endif
