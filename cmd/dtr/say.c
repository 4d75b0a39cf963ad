/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/escape.h"

void say(const char *fmt, ...)
{
	struct buf b = { 0 }, safe = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	escape_put(&safe, buf_str(&b), b.len, ESCAPE_TEXT);
	fputs(b.failed || safe.failed ? "dtr: out of memory\n" : buf_str(&safe), stderr);
	buf_free(&safe);
	buf_free(&b);
}
