/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/dw.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "base/shlib.h"

static const char library[] = "libdw.so.1";

bool dw_open(struct dw *d, char *reason, size_t n)
{
	const struct shlib_symbol want[] = {
		{ "dwarf_begin_elf", (void **)&d->begin_elf }, { "dwarf_end", (void **)&d->end },
		{ "dwarf_getcfi", (void **)&d->getcfi }, { "dwarf_getcfi_elf", (void **)&d->getcfi_elf },
		{ "dwarf_cfi_end", (void **)&d->cfi_end }, { "dwarf_cfi_addrframe", (void **)&d->addrframe },
		{ "dwarf_frame_info", (void **)&d->frame_info }, { "dwarf_frame_cfa", (void **)&d->frame_cfa },
		{ "dwarf_frame_register", (void **)&d->frame_register },
	};
	const char *lacks;

	*d = (struct dw){ .lib = NULL };
	d->lib = shlib_open(library, want, sizeof want / sizeof want[0], &lacks);
	if (!d->lib)
		snprintf(reason, n, lacks ? "%s has no %s" : errno == ENOMEM ? "no memory for elfutils' %s" :
			 "elfutils' %s is not installed", library, lacks);
	return d->lib;
}

void dw_close(struct dw *d)
{
	if (d->lib)
		dlclose(d->lib);
	*d = (struct dw){ 0 };
}
