/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/serve/curl.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/shlib.h"

/* From libcurl's interface. */
enum {
	GLOBAL_ALL = 3,
	OPT_TIMEOUT = 13, OPT_NOPROGRESS = 43, OPT_CONNECTTIMEOUT = 78, OPT_NOSIGNAL = 99, OPT_PROTOCOLS = 181,
	OPT_URL = 10002, OPT_ERRORBUFFER = 10010, OPT_POSTFIELDS = 10015, OPT_USERAGENT = 10018, OPT_HTTPHEADER = 10023,
	OPT_XFERINFODATA = 10057, OPT_WRITEFUNCTION = 20011, OPT_XFERINFOFUNCTION = 20219,
	OPT_POSTFIELDSIZE_LARGE = 30120,
	INFO_RESPONSE_CODE = 0x200000 + 2,
	PROTO_HTTP = 1, PROTO_HTTPS = 2,
	ERROR_SIZE = 256,
	CONNECT_S = 10, TRANSFER_S = 60,
};

int curl_open(struct curl *c)
{
	int (*global)(long flags);
	const struct shlib_symbol want[] = {
		{ "curl_global_init", (void **)&global }, { "curl_easy_init", (void **)&c->init },
		{ "curl_easy_setopt", (void **)&c->setopt }, { "curl_easy_perform", (void **)&c->perform },
		{ "curl_easy_getinfo", (void **)&c->getinfo }, { "curl_easy_cleanup", (void **)&c->cleanup },
		{ "curl_easy_strerror", (void **)&c->error }, { "curl_slist_append", (void **)&c->list_append },
		{ "curl_slist_free_all", (void **)&c->list_free },
	};
	const size_t n = sizeof want / sizeof want[0];
	const char *lacks;

	if (!shlib_open(CURL_LIBRARY, want, n, &lacks) &&
	    (lacks || !shlib_open("libcurl-gnutls.so.4", want, n, &lacks)))
		return -ENOENT;
	return global(GLOBAL_ALL) == 0 ? 0 : -ENOENT;
}

static size_t ignore_body(char *p, size_t size, size_t n, void *arg)
{
	(void)p, (void)arg;
	return size * n;
}

static int check_stop(void *arg, int64_t total, int64_t now, int64_t total_up, int64_t now_up)
{
	const atomic_bool *stop = arg;

	(void)total, (void)now, (void)total_up, (void)now_up;
	return *stop;
}

long curl_post(const struct curl *c, const char *url, const char *content_type, const char *body, size_t size,
	       const atomic_bool *stop, char *reason, size_t n)
{
	void *h = c->init(), *headers = NULL;
	char header[256], detail[ERROR_SIZE] = "";
	long status = 0;
	int err = h ? 0 : 2;

	if (!err) {
		snprintf(header, sizeof header, "Content-Type: %s", content_type);
		headers = c->list_append(NULL, header);
		headers = c->list_append(headers, "Expect:");
		c->setopt(h, OPT_ERRORBUFFER, detail);
		c->setopt(h, OPT_URL, url);
		c->setopt(h, OPT_PROTOCOLS, (long)(PROTO_HTTP | PROTO_HTTPS));
		c->setopt(h, OPT_HTTPHEADER, headers);
		c->setopt(h, OPT_USERAGENT, "dtr");
		c->setopt(h, OPT_POSTFIELDS, body);
		c->setopt(h, OPT_POSTFIELDSIZE_LARGE, (int64_t)size);
		c->setopt(h, OPT_WRITEFUNCTION, ignore_body);
		c->setopt(h, OPT_NOSIGNAL, 1L);
		c->setopt(h, OPT_CONNECTTIMEOUT, (long)CONNECT_S);
		c->setopt(h, OPT_TIMEOUT, (long)TRANSFER_S);
		c->setopt(h, OPT_NOPROGRESS, 0L);
		c->setopt(h, OPT_XFERINFOFUNCTION, check_stop);
		c->setopt(h, OPT_XFERINFODATA, stop);
		err = c->perform(h);
	}
	if (err)
		snprintf(reason, n, "%s", *detail ? detail : c->error(err));
	else
		c->getinfo(h, INFO_RESPONSE_CODE, &status);
	if (h)
		c->cleanup(h);
	c->list_free(headers);
	return status;
}
