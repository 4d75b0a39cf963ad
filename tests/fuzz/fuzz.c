/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

_Noreturn void fuzz_fail(const char *what, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "must hold: %s: ", what);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

void fuzz_diags(const struct diags *d, enum diag_tag except)
{
	struct buf out = { 0 };
	bool show = getenv("FUZZ_SHOW");

	for (size_t i = 0; i < d->list.n; i++) {
		const struct diag *one = &d->list.v[i];

		buf_reset(&out);
		diag_print(&out, one, "dtr", i % 2);
		if (show)
			fputs(buf_str(&out), stderr);
		FUZZ_CHECK(out.len && !memchr(out.data, '\0', out.len), "message %zu has a NUL or no text", i);
		FUZZ_CHECK(out.len < 20000, "a message of %zu bytes", out.len);
		if (!one->warning && one->tag != except)
			FUZZ_CHECK(one->loc.line && one->loc.col, "no place: %s", one->text);
	}
	FUZZ_CHECK(d->list.n <= 1000, "%zu messages", d->list.n);
	buf_free(&out);
}

const char *fuzz_share(void)
{
	static char path[4096];
	const char *src = getenv("SRC");

	snprintf(path, sizeof path, "%s/share", src ? src : ".");
	return path;
}
