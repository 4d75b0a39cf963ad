/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/dwinfo.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char library[] = "libdw.so.1", client_library[] = "libdebuginfod.so.1";

bool dwinfo_open(struct dwinfo *d, char *reason, size_t n)
{
#define X(name) { "dwarf_" #name, (void **)&d->name },
	const struct { const char *name; void **at; } want[] = { DWINFO_FUNCTIONS(X) };
#undef X

	*d = (struct dwinfo){ .lib = dlopen(library, RTLD_NOW | RTLD_LOCAL) };
	if (!d->lib) {
		snprintf(reason, n, "elfutils' %s is not installed", library);
		return false;
	}
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		*want[i].at = dlsym(d->lib, want[i].name);
		if (*want[i].at)
			continue;
		snprintf(reason, n, "%s has no %s", library, want[i].name);
		dwinfo_close(d);
		return false;
	}
	return true;
}

void dwinfo_close(struct dwinfo *d)
{
	if (d->lib)
		dlclose(d->lib);
	*d = (struct dwinfo){ 0 };
}

/* ---- debuginfod ---- */
struct client {
	void *(*begin)(void);
	void (*end)(void *client);
	int (*find)(void *client, const unsigned char *id, int idlen, char **path);
};

static bool client_load(void *lib, struct client *c)
{
	*(void **)&c->begin = dlsym(lib, "debuginfod_begin");
	*(void **)&c->end = dlsym(lib, "debuginfod_end");
	*(void **)&c->find = dlsym(lib, "debuginfod_find_debuginfo");
	return c->begin && c->end && c->find;
}

int dwinfo_request(const uint8_t *id, unsigned idlen, char *reason, size_t n)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct client c;
	void *lib, *client;
	int fd = -1;

	if (!urls || !*urls || !idlen)
		return -1;
	lib = dlopen(client_library, RTLD_LAZY | RTLD_LOCAL);	/* it stays: libcurl does not survive unloading */
	if (!lib || !client_load(lib, &c)) {
		snprintf(reason, n, "DEBUGINFOD_URLS is set, but elfutils' %s is not installed", client_library);
		return -1;
	}
	client = c.begin();
	if (!client)
		return -1;
	fd = c.find(client, id, (int)idlen, NULL);
	c.end(client);
	return fd < 0 ? -1 : fd;
}
