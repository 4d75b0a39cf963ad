/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/demangle.h"

#include <dlfcn.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

static void library_open(struct demangler *d)
{
	static const char *const names[] = { "libstdc++.so.6", "libc++abi.so.1" };

	d->tried = true;
	for (unsigned i = 0; i < sizeof names / sizeof names[0] && !d->demangle; i++) {
		d->library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
		if (d->library)
			*(void **)&d->demangle = dlsym(d->library, "__cxa_demangle");
	}
}

/* A Rust name is `_R...`, or in the older form a C++ name that ends with a hash, which is not shown. NULL: it is not mangled. */
static char *demangled(struct demangler *d, const char *name)
{
	char *rust = !strncmp(name, "_R", 2) || !strncmp(name, "_ZN", 3) ? rust_demangle(name, 0) : NULL;
	int status;

	if (rust || strncmp(name, "_Z", 2) != 0)
		return rust;
	if (!d->tried)
		library_open(d);
	return d->demangle ? d->demangle(name, NULL, NULL, &status) : NULL;
}

const char *demangler_name(struct demangler *d, const char *name)
{
	const char *version = *name ? strchr(name + 1, '@') : NULL;
	char *plain = version ? strndup(name, (size_t)(version - name)) : NULL;

	free(d->last);
	d->last = demangled(d, plain ? plain : name);
	if (d->last)
		free(plain);
	else
		d->last = plain;
	return d->last ? d->last : name;
}

void demangler_close(struct demangler *d)
{
	free(d->last);
	d->last = NULL;
	if (d->library)
		dlclose(d->library);
	d->library = NULL;
	d->demangle = NULL;
	d->tried = false;
}
