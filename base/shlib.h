/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared libraries that are opened when they are needed: linking them would make every start slower.
 *
 * Ownership: the caller closes the library with dlclose(). Errors: see shlib_open.
 */
#ifndef BASE_SHLIB_H
#define BASE_SHLIB_H

#include <stddef.h>

/* A function or variable of a library, and where its address is to be stored. */
struct shlib_symbol {
	const char *name;
	void **at;
};

/*
 * Opens a library and finds all `n` symbols. Returns its handle; or NULL, then *lacks is the symbol that it does not
 * have, or NULL: the library cannot be opened (errno is ENOMEM: there is no memory for it). Some addresses may have
 * been stored all the same.
 */
void *shlib_open(const char *library, const struct shlib_symbol *want, size_t n, const char **lacks);

#endif
