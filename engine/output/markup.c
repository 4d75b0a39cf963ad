/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/markup.h"

#include "base/escape.h"

void markup_text(struct buf *out, const char *s, size_t n)
{
	struct buf safe = { 0 };

	escape_put(&safe, s, n, ESCAPE_TEXT);
	for (const char *p = buf_str(&safe); *p; p++) {
		if (*p == '<')
			buf_puts(out, "&lt;");
		else if (*p == '&')
			buf_puts(out, "&amp;");
		else
			buf_putc(out, *p);
	}
	out->failed |= safe.failed;
	buf_free(&safe);
}
