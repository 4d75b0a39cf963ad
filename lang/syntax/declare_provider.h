/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Provider declarations.
 *
 * Ownership and errors: see lang/syntax/parse.h.
 */
#ifndef LANG_SYNTAX_DECLARE_PROVIDER_H
#define LANG_SYNTAX_DECLARE_PROVIDER_H

#include "lang/syntax/decl.h"

void provider_open(struct parser *p, const char *name, struct loc loc);
void provider_probe(struct parser *p, const char *name, struct types_list *in, struct types_list *out, struct loc loc);

#endif
