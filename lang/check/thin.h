/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which clauses can be thinned (-x maxcost): run at one of N firings only, each of which stands for N.
 * docs/options.md lists the rules. Ownership: texts are constants. Errors: none.
 */
#ifndef LANG_CHECK_THIN_H
#define LANG_CHECK_THIN_H

#include "lang/prog.h"

/* Stores in *out the first obstacle in the clause; out->what is NULL if there is none. */
void thin_obstacle(const struct clause *c, struct thin_obstacle *out);

#endif
