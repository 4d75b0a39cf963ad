/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The statically defined probes of a file: notes of the owner "stapsdt" and type 3 in its section .note.stapsdt, as
 * <sys/sdt.h> of SystemTap writes them. A note has the addresses of the probe, of the section .stapsdt.base (prelinking
 * moves it, and the probes with it) and of a semaphore, then three strings: provider, name, arguments.
 *
 * Ownership: the caller's arena. Errors: notes_read returns -ENOMEM; what is damaged is left out.
 */
#ifndef ENGINE_PROGRAMS_NOTES_H
#define ENGINE_PROGRAMS_NOTES_H

#include "base/arena.h"
#include "engine/symbols/elf.h"
#include "providers/program.h"

struct notes {
	VEC(struct program_note) list;	/* in the order of the file */
};

/* Appends the probes of a file to an empty list. */
int notes_read(struct notes *n, struct arena *a, const struct elf *e);

#endif
