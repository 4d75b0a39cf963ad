/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of libcurl that pushes use, and the numbers of its interface, which is stable. It is opened at run time
 * and stays open: it does not survive being closed.
 *
 * Ownership: curl_post frees what it uses. Errors: curl_open returns -ENOENT; curl_post says why.
 */
#ifndef CMD_DTR_SERVE_CURL_H
#define CMD_DTR_SERVE_CURL_H

#include <stdatomic.h>
#include <stddef.h>

#define CURL_LIBRARY "libcurl.so.4"
#define CURL_PACKAGE "libcurl4 (Debian 12) or libcurl4t64 (Debian 13)"

struct curl {
	void *(*init)(void);
	int (*setopt)(void *handle, int option, ...);
	int (*perform)(void *handle);
	int (*getinfo)(void *handle, int info, ...);
	void (*cleanup)(void *handle);
	const char *(*error)(int code);
	void *(*list_append)(void *list, const char *text);
	void (*list_free)(void *list);
};

int curl_open(struct curl *c);
/* Sends a POST request; no other protocols than http and https, no redirections. *stop: gives up when it becomes true.
 * Returns the status of the response, or 0 with the reason in reason[n]. */
long curl_post(const struct curl *c, const char *url, const char *content_type, const char *body, size_t size,
	       const atomic_bool *stop, char *reason, size_t n);

#endif
