/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the directory of the files that are installed with the command.
 * Ownership: the arena. Errors: none; the default is PKGDATADIR.
 */
#ifndef CMD_DTR_SHARE_H
#define CMD_DTR_SHARE_H

#include "base/arena.h"

/* Returns $DTR_SHARE; or share/ next to the command or its directory (build tree, moved installation); or
 * PKGDATADIR. */
const char *share_find(struct arena *a);

#endif
