/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The HTTP server of `dtr serve`: a thread that answers requests from pages which the session's thread has rendered. A
 * request for a page that is older than HTTP_FRESH_NS waits until the session's thread publishes it again; a slow or
 * hostile client never keeps the session waiting.
 *
 * Bounds: HTTP_CONNECTIONS connections, of HTTP_CONNECTION_BYTES and HTTP_IDLE_S seconds without progress each, and
 * those of guard.h; further clients wait in the kernel's queue. One copy of each page, and older ones while clients
 * still read them.
 *
 * Ownership: http_close ends the thread and frees everything (idempotent).
 * Errors: http_open returns -1 with the reason in reason[n].
 */
#ifndef CMD_DTR_SERVE_HTTP_H
#define CMD_DTR_SERVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/dtr.h"

enum { HTTP_CONNECTIONS = 512, HTTP_CONNECTION_BYTES = 16384, HTTP_IDLE_S = 15 };
#define HTTP_FRESH_NS 1000000000ull
/* Without --listen: this address and port. */
#define HTTP_ADDRESS "127.0.0.1"
#define HTTP_PORT "9435"

struct http;

/* Names of this machine that requests may use; the caller's. Addresses, localhost and its own name are always allowed:
 * a page of another site, whose name leads here for a moment, must not read the answers (DNS rebinding). */
struct http_hosts {
	char *const *v;
	size_t n;
};

/* Listens on "ADDRESS:PORT", "[ADDRESS]:PORT" or ":PORT" (127.0.0.1). Port 0: any. */
int http_open(struct http **out, const char *listen, const struct http_hosts *hosts, char *reason, size_t n);
/* "http://127.0.0.1:9435/" */
const char *http_url(const struct http *h);
/* True if a request waits for this page. */
bool http_wants(struct http *h, enum dtr_page page);
/* Publishes a page; takes the memory. data NULL: it cannot be rendered, and requests are answered with an error. */
void http_publish(struct http *h, enum dtr_page page, char *data, size_t size);
/* The number of requests so far. */
unsigned long http_requests(struct http *h);
void http_close(struct http *h);

#endif
