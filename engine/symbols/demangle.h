/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * C++ and Rust names as they are written in the source, without the version of a symbol (name@@GLIBC_2.17) and without the hash of
 * older Rust names. libiberty demangles them; it is linked statically.
 *
 * A name can refer to its own parts, so that a short name can stand for an endless text. A name whose readable form has more
 * than 16 KB stays as it is, and takes no longer than that.
 *
 * Ownership: demangler_close gives everything back (idempotent; zeroed is closed). Errors: none.
 */
#ifndef ENGINE_SYMBOLS_DEMANGLE_H
#define ENGINE_SYMBOLS_DEMANGLE_H

#include "base/buf.h"

struct demangler {
	struct buf text, plain;
};

/* The readable form, valid until the next call, or the name itself. */
const char *demangler_name(struct demangler *d, const char *name);
void demangler_close(struct demangler *d);

#endif
