/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * #pragma D attributes and binding.
 *
 * Ownership: nothing is kept. Errors: diagnostics.
 */
#ifndef LANG_PRAGMA_H
#define LANG_PRAGMA_H

#include "lang/compile.h"

/* What #pragma D attributes and binding name must be defined somewhere. */
void pragma_check_named(struct compiler *c);

#endif
