/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files of processes in descriptions, for providers of probes in processes.
 *
 * Ownership: the caller's arena. Errors: none.
 */
#ifndef PROVIDERS_MODULES_H
#define PROVIDERS_MODULES_H

#include "providers/program.h"
#include "providers/provider.h"

/* True if the module part of a description means this file: by its name, with or without its version, or its path, as
 * this process or the other one sees it. Names that other systems give to the C library mean Linux's (libc.so.1:
 * libc.so.6). */
bool module_matches(const struct probe_spec *spec, const struct program_module *m);
/* The path of a module part without symbolic links, in the arena. NULL: it is the same, or no path of a file. */
const char *module_real_path(struct arena *a, const char *module);
/* The last part of a path. */
const char *path_base(const char *path);
/* The file that the process executes; NULL: unknown. */
const struct program_module *module_program(const struct program_module *m, size_t n);

/* Descriptions, each once. */
struct spec_list {
	VEC(struct probe_spec) list;
};

bool spec_list_has(const struct spec_list *s, const struct probe_spec *spec);
void spec_list_add(struct arena *a, struct spec_list *s, const struct probe_spec *spec);

/* Files of processes that were compared with descriptions. */
struct module_list {
	VEC(struct { int64_t pid; const void *file; }) list;
};

bool module_list_has(const struct module_list *s, int64_t pid, const struct program_module *m);
/* Adds those that it does not have. */
void module_list_add(struct arena *a, struct module_list *s, int64_t pid, const struct program_module *m, size_t n);

#endif
