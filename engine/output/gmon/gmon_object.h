/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code of an object, as a profile of it needs to know: a program, a library, the kernel, or one of its modules.
 *
 * Addresses of the kernel are those of its vmlinux file, so that profiles of several boots add up: what the kernel adds
 * when it boots (KASLR) is subtracted. Those of modules are not changed.
 *
 * Ownership: gmon_object_free frees everything (idempotent). Errors: the functions return -errno.
 */
#ifndef ENGINE_OUTPUT_GMON_GMON_OBJECT_H
#define ENGINE_OUTPUT_GMON_GMON_OBJECT_H

#include "engine/output/gmon/gmon_file.h"

struct kallsyms;
struct object;

struct gmon_object {
	uint64_t low, high;		/* `low` to `high` - 1, addresses in its file */
	uint64_t slide;			/* address in memory less that in the file; 0 except for the kernel */
	bool is32;
	uint64_t *border;		/* for struct gmon_profile */
	size_t nborders, room;
};

/* The code of a file. Returns 0; -ENOEXEC if it is not an ELF file with code; -ENOMEM. */
int gmon_object_file(struct gmon_object *o, struct object *file);
/* The code of the kernel ("vmlinux") or a module. Returns 0; -ENOENT if it has no functions; -ENOMEM. */
int gmon_object_kernel(struct gmon_object *o, const struct kallsyms *k, const char *module);
void gmon_object_free(struct gmon_object *o);
/* True for a symbol of the kernel that is only the padding before a function. */
bool gmon_is_padding(const char *name);

#endif
