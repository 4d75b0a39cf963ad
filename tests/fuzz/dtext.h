/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * D text in a fixed environment: macro arguments, the types of a small kernel, the prelude.
 * Who owns what: the world owns everything except the text; dcheck_close frees it. What can fail: nothing here.
 */
#ifndef TESTS_FUZZ_DTEXT_H
#define TESTS_FUZZ_DTEXT_H

#include "tests/lib/dcheck.h"

void dtext_open(struct dcheck *w, const char *text, size_t size);

#endif
