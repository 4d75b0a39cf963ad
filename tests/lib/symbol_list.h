/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Symbols of a kernel that a test makes up. */
#ifndef TESTS_LIB_SYMBOL_LIST_H
#define TESTS_LIB_SYMBOL_LIST_H

#include "engine/symbols/kallsyms.h"

/* Opens a list that has the format of /proc/kallsyms, as kallsyms_open does; the caller closes it. Returns NULL, with
 * an errno in *err (may be NULL), if that fails. */
struct kallsyms *symbol_list(const char *text, int *err);

#endif
