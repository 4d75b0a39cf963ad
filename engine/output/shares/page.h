/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shares as an HTML page. Ownership: everything is appended to o->buf. Errors: no memory (buf.failed). */
#ifndef ENGINE_OUTPUT_SHARES_PAGE_H
#define ENGINE_OUTPUT_SHARES_PAGE_H

#include "engine/output/shares/shares.h"

/* A function of struct printer. */
void shares_page(struct output *o, const struct shares_list *list);

#endif
