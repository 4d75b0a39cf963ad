/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/serve/mhd.h"

#include <dlfcn.h>
#include <errno.h>

int mhd_open(struct mhd *m)
{
	const struct {
		void **to;
		const char *name;
	} symbols[] = {
		{ (void **)&m->start, "MHD_start_daemon" }, { (void **)&m->stop, "MHD_stop_daemon" },
		{ (void **)&m->response, "MHD_create_response_from_buffer" },
		{ (void **)&m->header, "MHD_add_response_header" }, { (void **)&m->queue, "MHD_queue_response" },
		{ (void **)&m->release, "MHD_destroy_response" },
		{ (void **)&m->lookup, "MHD_lookup_connection_value" },
		{ (void **)&m->info, "MHD_get_connection_info" },
		{ (void **)&m->suspend, "MHD_suspend_connection" }, { (void **)&m->resume, "MHD_resume_connection" },
	};

	m->lib = dlopen(MHD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!m->lib)
		return -ENOENT;
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		*symbols[i].to = dlsym(m->lib, symbols[i].name);
		if (!*symbols[i].to) {
			mhd_close(m);
			return -ENOENT;
		}
	}
	return 0;
}

void mhd_close(struct mhd *m)
{
	if (m->lib)
		dlclose(m->lib);
	m->lib = NULL;
}
