/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/serve/mhd.h"

#include <dlfcn.h>
#include <errno.h>

#include "base/shlib.h"

int mhd_open(struct mhd *m)
{
	const struct shlib_symbol want[] = {
		{ "MHD_start_daemon", (void **)&m->start }, { "MHD_stop_daemon", (void **)&m->stop },
		{ "MHD_create_response_from_buffer", (void **)&m->response },
		{ "MHD_add_response_header", (void **)&m->header }, { "MHD_queue_response", (void **)&m->queue },
		{ "MHD_destroy_response", (void **)&m->release },
		{ "MHD_lookup_connection_value", (void **)&m->lookup },
		{ "MHD_get_connection_info", (void **)&m->info },
		{ "MHD_suspend_connection", (void **)&m->suspend }, { "MHD_resume_connection", (void **)&m->resume },
	};
	const char *lacks;

	m->lib = shlib_open(MHD_LIBRARY, want, sizeof want / sizeof want[0], &lacks);
	return m->lib ? 0 : -ENOENT;
}

void mhd_close(struct mhd *m)
{
	if (m->lib)
		dlclose(m->lib);
	m->lib = NULL;
}
