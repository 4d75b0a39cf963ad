/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

enum { LONGEST = 16 << 10 };	/* maximum length of a demangled name */

struct demangle_output {
	struct buf *text;
	jmp_buf too_long;
};

typedef int demangle_fn(const char *name, int options, demangle_callbackref put, void *arg);

static void put(const char *piece, size_t n, void *arg)
{
	struct demangle_output *o = arg;

	if (o->text->len + n > LONGEST)
		longjmp(o->too_long, 1);
	buf_put(o->text, piece, n);
}

/* The demanglers keep their state on the stack, so longjmp can leave one in the middle. */
static bool run(struct buf *text, demangle_fn *fn, const char *name)
{
	struct demangle_output o = { .text = text };

	buf_reset(text);
	return !setjmp(o.too_long) && fn(name, DMGL_PARAMS | DMGL_ANSI, put, &o);
}

/* A Rust name starts with `_R`, or in the older form is a C++ name that ends with a hash, which is not shown. */
static bool demangled(struct buf *text, const char *name)
{
	bool cxx = !strncmp(name, "_Z", 2), rust = !strncmp(name, "_R", 2) || !strncmp(name, "_ZN", 3);

	return (rust && run(text, rust_demangle_callback, name)) ||
	       (cxx && run(text, cplus_demangle_v3_callback, name));
}

const char *demangler_name(struct demangler *d, const char *name)
{
	const char *version = *name ? strchr(name + 1, '@') : NULL;
	const char *plain = name;

	if (version) {
		buf_reset(&d->plain);
		buf_put(&d->plain, name, (size_t)(version - name));
		plain = buf_str(&d->plain);
	}
	return demangled(&d->text, plain) ? buf_str(&d->text) : plain;
}

void demangler_close(struct demangler *d)
{
	buf_free(&d->text);
	buf_free(&d->plain);
}
