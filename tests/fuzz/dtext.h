/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * D text in a world that is always the same: macro arguments, a small kernel's types, the prelude.
 * Who owns what: the world owns everything but the text; dcheck_close gives it back. What can fail: nothing here.
 */
#ifndef TESTS_FUZZ_DTEXT_H
#define TESTS_FUZZ_DTEXT_H

#include "tests/lib/dcheck.h"

void dtext_open(struct dcheck *w, const char *text, size_t size);

#endif
