/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limit of open files of this process (RLIMIT_NOFILE).
 * Errors: none; if the limit cannot be raised, opening files fails later and is reported there.
 */
#ifndef BASE_OPENFILES_H
#define BASE_OPENFILES_H

#include <stdint.h>

/* Raises the soft limit to `need`, at most to the hard limit; never lowers it. Returns the limit that now applies;
 * UINT64_MAX: it is unknown. need: 0 only reads the limit, UINT64_MAX raises it as far as possible. */
uint64_t openfiles_raise(uint64_t need);

#endif
