/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text in HTML pages. Ownership: the caller's buffer. Errors: no memory (buf.failed). */
#ifndef ENGINE_OUTPUT_MARKUP_H
#define ENGINE_OUTPUT_MARKUP_H

#include <stddef.h>

#include "base/buf.h"

/* Appends the text between two tags. `<`, `&` and control characters are escaped. */
void markup_text(struct buf *out, const char *s, size_t n);

#endif
