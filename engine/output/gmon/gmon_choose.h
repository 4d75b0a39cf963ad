/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds an object by the name that a user gives it: that of its file with or without its version (libc), a module,
 * "kernel", or "a.out".
 *
 * Ownership: nothing. Errors: none.
 */
#ifndef ENGINE_OUTPUT_GMON_GMON_CHOOSE_H
#define ENGINE_OUTPUT_GMON_GMON_CHOOSE_H

#include "engine/output/gmon/gmon_run.h"

/* Returns the number of the object called name[n] in run->code; of several, that with most samples; -1: there is none.
 * "a.out" is the file called `program`, else that with most samples that is not a library (the command may be a
 * script), else the kernel. */
long gmon_choose(const struct gmon_run *run, const char *name, size_t n, const char *program);

#endif
