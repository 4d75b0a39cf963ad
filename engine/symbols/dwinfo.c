/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/dwinfo.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/shlib.h"

static const char library[] = "libdw.so.1", client_library[] = "libdebuginfod.so.1";

bool dwinfo_open(struct dwinfo *d, char *reason, size_t n)
{
#define X(name) { "dwarf_" #name, (void **)&d->name },
	const struct shlib_symbol want[] = { DWINFO_FUNCTIONS(X) };
#undef X
	const char *lacks;

	*d = (struct dwinfo){ .lib = NULL };
	d->lib = shlib_open(library, want, sizeof want / sizeof want[0], &lacks);
	if (!d->lib)
		snprintf(reason, n, lacks ? "%s has no %s" : "elfutils' %s is not installed", library, lacks);
	return d->lib;
}

void dwinfo_close(struct dwinfo *d)
{
	if (d->lib)
		dlclose(d->lib);
	*d = (struct dwinfo){ 0 };
}

/* ---- debuginfod ---- */
int dwinfo_request(const uint8_t *id, unsigned idlen, char *reason, size_t n)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *(*begin)(void), (*end)(void *client), *client;
	int (*find)(void *client, const unsigned char *id, int idlen, char **path), fd;
	const struct shlib_symbol want[] = {
		{ "debuginfod_begin", (void **)&begin }, { "debuginfod_end", (void **)&end },
		{ "debuginfod_find_debuginfo", (void **)&find },
	};
	const char *lacks;

	if (!urls || !*urls || !idlen)
		return -1;
	/* it stays: libcurl does not survive unloading */
	if (!shlib_open(client_library, want, sizeof want / sizeof want[0], &lacks)) {
		snprintf(reason, n, "DEBUGINFOD_URLS is set, but elfutils' %s is not installed", client_library);
		return -1;
	}
	client = begin();
	if (!client)
		return -1;
	fd = find(client, id, (int)idlen, NULL);
	end(client);
	return fd < 0 ? -1 : fd;
}
