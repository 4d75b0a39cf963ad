/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Demangles names of C++, Rust and OCaml, and removes symbol versions (name@@GLIBC_2.17) and the hashes of legacy Rust
 * names. Uses libiberty, linked statically.
 *
 * A mangled name can refer to its own parts, so a short name can expand without bound. Demangling stops at 16 KB; such
 * names are left mangled.
 *
 * Ownership: demangler_close releases everything (idempotent; zeroed is closed). Errors: none.
 */
#ifndef ENGINE_SYMBOLS_DEMANGLE_H
#define ENGINE_SYMBOLS_DEMANGLE_H

#include "base/buf.h"

struct demangler {
	struct buf text, plain;
};

/* Returns the demangled name, valid until the next call, or the name itself. */
const char *demangler_name(struct demangler *d, const char *name);
void demangler_close(struct demangler *d);

#endif
