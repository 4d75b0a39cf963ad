/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scripts that commands such as `dtr prog` make: files in memory that stay open.
 * Ownership: the arena. Errors: a message on standard error.
 */
#ifndef CMD_DTR_MADE_H
#define CMD_DTR_MADE_H

#include "base/arena.h"

/* Returns the path of a file that holds the script of a command ("prog"), or NULL. name: of dtr. */
const char *made_script(struct arena *a, const char *name, const char *command, const char *text);

#endif
