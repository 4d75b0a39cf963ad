/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The types of system calls' arguments and results, from a table: the same on every kernel.
 * Ownership: the strings are constant. Errors: none.
 */
#ifndef PROVIDERS_SYSCALL_TYPES_H
#define PROVIDERS_SYSCALL_TYPES_H

#include "providers/provider.h"

/* Describes the arguments of a call and returns their number, at most `max`. -1: the call is not in the table. */
int syscall_types(const char *call, struct arg_desc *out, unsigned max);
/* The D type of its result. */
const char *syscall_result_type(const char *call);

#endif
