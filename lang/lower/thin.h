/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of firings that do not run (-x maxcost).
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_THIN_H
#define LANG_LOWER_THIN_H

#include "lang/lower/lower.h"

/* For the function of l->enabled: with -x maxcost, prepares that its firings can be thinned, if its clauses allow. */
void lower_thin_begin(struct lower *l, const struct probe_info *pi);
/* Jumps to `skip` if this firing is one that does not run. Then counts it if it stands for others. */
void lower_thin_choose(struct lower *l, uint32_t skip);
void lower_thin_count(struct lower *l);

#endif
