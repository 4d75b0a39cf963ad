/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * C++ and Rust names as one writes them, without the version of a symbol (name@@GLIBC_2.17) and without the hash of older Rust
 * names. The C++ run-time library knows C++; it is opened when the first such name is shown, and where there is none these names
 * stay as they are. libiberty, which is linked statically, knows Rust.
 * Who owns what: demangler_close gives the library and the last name back. What can fail: nothing.
 */
#ifndef ENGINE_SYMBOLS_DEMANGLE_H
#define ENGINE_SYMBOLS_DEMANGLE_H

#include <stdbool.h>

struct demangler {
	bool tried;
	void *library;
	char *(*demangle)(const char *name, char *out, __SIZE_TYPE__ *len, int *status);
	char *last;
};

/* The readable form, valid until the next call, or the name itself. */
const char *demangler_name(struct demangler *d, const char *name);
void demangler_close(struct demangler *d);

#endif
