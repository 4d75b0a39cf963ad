/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the files that ship beside the command are.
 * Ownership: the arena. Errors: none; where nothing is found, the installed place is the answer.
 */
#ifndef CMD_DTR_SHARE_H
#define CMD_DTR_SHARE_H

#include "base/arena.h"

/* $DTR_SHARE; share/ beside the command or beside its folder (build tree, moved installation); PKGDATADIR. */
const char *share_find(struct arena *a);

#endif
