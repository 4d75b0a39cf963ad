/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a session knows of control groups: the names that its output needs, and what its programs compare.
 *
 * Ownership: the session's; cgroups_close frees it. Errors: cgroups_open and cgroups_begin return -1 with diagnostics.
 */
#ifndef ENGINE_SESSION_CGROUPS_H
#define ENGINE_SESSION_CGROUPS_H

#include <stdbool.h>

struct dtr;

/* True if this machine has control groups, of the hierarchy that -x hierarchy means. */
bool cgroups_exist(struct dtr *t);
/* The controller of the hierarchy, for the compiler (compile_env.cgroups). arg: the session. */
const char *cgroups_controller(void *arg);
/* Call it when the engine is open, before a probe fires: reads the groups, and begins to watch new ones. Does nothing
 * if the program does not use any. */
int cgroups_open(struct dtr *t);
/* Call it in each pass: takes reports of new groups, looks for names, and updates what programs compare. */
void cgroups_pass(struct dtr *t);
void cgroups_close(struct dtr *t);

#endif
