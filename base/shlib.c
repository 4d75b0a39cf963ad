/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/shlib.h"

#include <dlfcn.h>
#include <errno.h>

void *shlib_open(const char *library, const struct shlib_symbol *want, size_t n, const char **lacks)
{
	void *lib;

	*lacks = NULL;
	errno = 0;
	lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; lib && i < n; i++) {
		*want[i].at = dlsym(lib, want[i].name);
		if (!*want[i].at) {
			*lacks = want[i].name;
			dlclose(lib);
			return NULL;
		}
	}
	return lib;
}
