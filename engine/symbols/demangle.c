/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/demangle.h"

#include <dlfcn.h>
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

const char *demangler_name(struct demangler *d, const char *name)
{
	int status;

	if (strncmp(name, "_Z", 2) != 0)
		return name;
	if (!d->tried)
		library_open(d);
	if (!d->demangle)
		return name;
	free(d->last);
	d->last = d->demangle(name, NULL, NULL, &status);
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
