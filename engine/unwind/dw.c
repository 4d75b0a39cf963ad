/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/dw.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

static const char library[] = "libdw.so.1";

bool dw_open(struct dw *d, char *reason, size_t n)
{
	const struct { const char *name; void **at; } want[] = {
		{ "dwarf_begin_elf", (void **)&d->begin_elf }, { "dwarf_end", (void **)&d->end },
		{ "dwarf_getcfi", (void **)&d->getcfi }, { "dwarf_getcfi_elf", (void **)&d->getcfi_elf },
		{ "dwarf_cfi_end", (void **)&d->cfi_end }, { "dwarf_cfi_addrframe", (void **)&d->addrframe },
		{ "dwarf_frame_info", (void **)&d->frame_info }, { "dwarf_frame_cfa", (void **)&d->frame_cfa },
		{ "dwarf_frame_register", (void **)&d->frame_register },
	};

	errno = 0;
	*d = (struct dw){ .lib = dlopen(library, RTLD_NOW | RTLD_LOCAL) };
	if (!d->lib) {
		snprintf(reason, n, errno == ENOMEM ? "no memory for elfutils' %s" : "elfutils' %s is not installed",
			 library);
		return false;
	}
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		*want[i].at = dlsym(d->lib, want[i].name);
		if (*want[i].at)
			continue;
		snprintf(reason, n, "%s has no %s", library, want[i].name);
		dw_close(d);
		return false;
	}
	return true;
}

void dw_close(struct dw *d)
{
	if (d->lib)
		dlclose(d->lib);
	*d = (struct dw){ 0 };
}
