/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of libmicrohttpd that the server uses, and the numbers of its interface, which is stable. It is opened
 * at run time, by `dtr serve` only.
 *
 * Ownership: mhd_close closes the library (idempotent). Errors: mhd_open returns -ENOENT.
 */
#ifndef CMD_DTR_SERVE_MHD_H
#define CMD_DTR_SERVE_MHD_H

#include <stddef.h>
#include <stdint.h>

#define MHD_LIBRARY "libmicrohttpd.so.12"
#define MHD_PACKAGE "libmicrohttpd12 (Debian 12) or libmicrohttpd12t64 (Debian 13)"

enum {
	MHD_NO = 0, MHD_YES = 1,
	MHD_USE_INTERNAL_POLLING_THREAD = 8, MHD_USE_POLL = 64, MHD_ALLOW_SUSPEND_RESUME = 8192 | 1024,
	MHD_OPTION_END = 0, MHD_OPTION_CONNECTION_MEMORY_LIMIT = 1, MHD_OPTION_CONNECTION_LIMIT = 2,
	MHD_OPTION_CONNECTION_TIMEOUT = 3, MHD_OPTION_NOTIFY_COMPLETED = 4, MHD_OPTION_LISTEN_SOCKET = 12,
	MHD_OPTION_NOTIFY_CONNECTION = 27,
	MHD_CONNECTION_STARTED = 0, MHD_CONNECTION_CLOSED = 1,
	MHD_INFO_FD = 6, MHD_INFO_CONTEXT = 7,
	MHD_RESPMEM_PERSISTENT = 0, MHD_RESPMEM_MUST_FREE = 1,
	MHD_HEADER_KIND = 1,
};

struct MHD_Daemon;
struct MHD_Connection;
struct MHD_Response;

typedef int mhd_handler(void *arg, struct MHD_Connection *c, const char *url, const char *method, const char *version,
			const char *upload, size_t *upload_size, void **state);

struct mhd {
	void *lib;
	struct MHD_Daemon *(*start)(unsigned flags, uint16_t port, void *accept, void *accept_arg,
				    mhd_handler *handler, void *arg, ...);
	void (*stop)(struct MHD_Daemon *d);
	struct MHD_Response *(*response)(size_t size, void *data, int mode);
	int (*header)(struct MHD_Response *r, const char *name, const char *value);
	int (*queue)(struct MHD_Connection *c, unsigned status, struct MHD_Response *r);
	void (*release)(struct MHD_Response *r);
	const char *(*lookup)(struct MHD_Connection *c, int kind, const char *name);
	const void *(*info)(struct MHD_Connection *c, int what);
	void (*suspend)(struct MHD_Connection *c);
	void (*resume)(struct MHD_Connection *c);
};

int mhd_open(struct mhd *m);
void mhd_close(struct mhd *m);

#endif
