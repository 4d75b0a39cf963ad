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

static void piece_put(const char *piece, size_t n, void *arg)
{
	struct demangle_output *o = arg;

	if (o->text->len + n > LONGEST)
		longjmp(o->too_long, 1);
	buf_put(o->text, piece, n);
}

/* The demanglers keep their state on the stack, so longjmp can leave one in the middle. */
static bool demangler_run(struct buf *text, demangle_fn *fn, const char *name)
{
	struct demangle_output o = { .text = text };

	buf_reset(text);
	return !setjmp(o.too_long) && fn(name, DMGL_PARAMS | DMGL_ANSI, piece_put, &o);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* OCaml: "caml", the name of the module, "__" (also ".") between the parts, "$xx" for other characters. Functions
 * of its run-time system (caml_main) are C's. */
static bool ocaml_plain(struct buf *text, const char *name)
{
	const char *p = name + 4;

	if (strncmp(name, "caml", 4) || *p < 'A' || *p > 'Z' || strlen(name) > LONGEST)
		return false;
	buf_reset(text);
	for (; *p; p++) {
		int high = *p == '$' ? hex_digit(p[1]) : -1, low = high < 0 ? -1 : hex_digit(p[2]), c = 16 * high + low;

		if (low >= 0 && c > ' ' && c <= '~') {
			buf_putc(text, c);
			p += 2;
		} else if (p[0] == '_' && p[1] == '_' && p[2] != '_' && p[2]) {
			buf_putc(text, '.');
			p++;
		} else {
			buf_putc(text, *p);
		}
	}
	return true;
}

/* A Rust name starts with `_R`, or in the older form is a C++ name that ends with a hash, which is not shown. */
static bool name_demangle(struct buf *text, const char *name)
{
	bool cxx = !strncmp(name, "_Z", 2), rust = !strncmp(name, "_R", 2) || !strncmp(name, "_ZN", 3);

	return (rust && demangler_run(text, rust_demangle_callback, name)) ||
	       (cxx && demangler_run(text, cplus_demangle_v3_callback, name)) || ocaml_plain(text, name);
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
	return name_demangle(&d->text, plain) ? buf_str(&d->text) : plain;
}

void demangler_close(struct demangler *d)
{
	buf_free(&d->text);
	buf_free(&d->plain);
}
