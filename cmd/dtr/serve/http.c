/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/serve/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/dtr/serve/guard.h"
#include "cmd/dtr/serve/mhd.h"

enum { QUEUE = 4096, OK = 200, NOT_FOUND = 404, NOT_ALLOWED = 405, MISDIRECTED = 421,
       UNAVAILABLE = 503, ACCEPT_MAX = 4096 };

struct http_page {
	struct MHD_Response *response;		/* NULL: never rendered */
	uint64_t time;				/* when it was published, CLOCK_MONOTONIC, ns */
	bool failed;				/* the last attempt */
	struct MHD_Connection *waiting[HTTP_CONNECTIONS];
	unsigned nwaiting;
};

struct http {
	struct mhd mhd;
	struct MHD_Daemon *daemon;
	struct guard *guard;
	struct http_hosts hosts;
	int fd;
	char url[128];
	pthread_mutex_t lock;			/* protects the following */
	struct http_page page[DTR_NPAGES];
	bool closing;
	unsigned long requests;
};

static const char index_page[] =
	"<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>dtr</title></head><body><h1>dtr</h1><ul>\n"
	"<li><a href=\"/metrics\">/metrics</a>: the aggregations as metrics, for Prometheus</li>\n"
	"<li><a href=\"/flame\">/flame</a>: flame graphs, histograms and tables</li>\n"
	"<li><a href=\"/profile\">/profile</a>: a profile for pprof</li>\n"
	"<li><a href=\"/healthz\">/healthz</a>: whether the session runs</li>\n</ul></body></html>\n";

static const char *const types[] = {
	[DTR_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	[DTR_METRICS] = "text/plain; version=0.0.4; charset=utf-8",
	[DTR_PROTOBUF] =
		"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited",
	[DTR_PPROF] = "application/octet-stream",
	[DTR_FLAME] = "text/html; charset=utf-8",
};

/* ---- hosts ---- */

static bool is_address(const char *name)
{
	unsigned char bytes[16];

	return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

/* The name of this machine, with or without its domain. */
static bool is_own_name(const char *name)
{
	struct utsname u;
	size_t n = strlen(name);

	return uname(&u) == 0 && n && !strncasecmp(u.nodename, name, n) && (!u.nodename[n] || u.nodename[n] == '.');
}

/* field: the Host of a request, "NAME:PORT" or "[ADDRESS]:PORT", without a port too. HTTP/1.0 may have none. */
static bool host_allowed(const struct http *h, const char *field)
{
	char name[256];
	bool brackets = field && *field == '[';

	if (!field)
		return true;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(field + brackets, brackets ? "]" : ":"), field + brackets);
	for (size_t i = 0; i < h->hosts.n; i++)
		if (!strcasecmp(h->hosts.v[i], name))
			return true;
	return is_address(name) || !strcasecmp(name, "localhost") || is_own_name(name);
}

/* ---- requests ---- */

/* The quality that an Accept header gives a type (RFC 9110, section 12.5.1) in thousandths; 0: not accepted. need: a
 * parameter that the range must have, or NULL. */
static int quality(const char *accept, const char *type, const char *need)
{
	int best = 0;

	for (const char *s = accept; s && *s; s += strcspn(s, ","), s += *s == ',') {
		size_t n;
		char range[ACCEPT_MAX], *q;
		double value = 1;

		s += strspn(s, " \t");
		n = strcspn(s, ",");
		if (n >= sizeof range)
			continue;
		memcpy(range, s, n);
		range[n] = '\0';
		if (strncasecmp(range, type, strlen(type)) || (need && !strcasestr(range, need)))
			continue;
		q = strcasestr(range, ";q=");
		if (q)
			value = strtod(q + 3, NULL);
		if (value > 0 && value <= 1 && value * 1000 > best)
			best = (int)(value * 1000);
	}
	return best;
}

/* The form of metrics that the client prefers; text of 0.0.4 unless it names another. */
static enum dtr_page metrics_form(const char *accept)
{
	int open = quality(accept, "application/openmetrics-text", NULL), text = quality(accept, "text/plain", NULL);
	int proto = quality(accept, "application/vnd.google.protobuf", "encoding=delimited");

	if (proto && proto >= open && proto >= text)
		return DTR_PROTOBUF;
	return open && open >= text ? DTR_OPENMETRICS : DTR_METRICS;
}

static int answer_text(struct http *h, struct MHD_Connection *c, unsigned status, const char *type, const char *text)
{
	struct MHD_Response *r = h->mhd.response(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
	int ok;

	if (!r)
		return MHD_NO;
	h->mhd.header(r, "Content-Type", type);
	if (status == NOT_ALLOWED)
		h->mhd.header(r, "Allow", "GET, HEAD");
	guard_answers(h->guard, c);
	ok = h->mhd.queue(c, status, r);
	h->mhd.release(r);
	return ok;
}

/* Answers with the page, or suspends the request until it is published. */
static int answer_page(struct http *h, struct MHD_Connection *c, enum dtr_page page, void **state)
{
	struct http_page *p = &h->page[page];
	bool waited = *state == p;
	int ok = MHD_YES;

	pthread_mutex_lock(&h->lock);
	if (p->response && !p->failed && (waited || clock_now() - p->time < HTTP_FRESH_NS)) {
		guard_answers(h->guard, c);
		ok = h->mhd.queue(c, OK, p->response);
	} else if (waited || h->closing || p->nwaiting == HTTP_CONNECTIONS) {
		ok = MHD_NO;
	} else {
		*state = p;
		p->waiting[p->nwaiting++] = c;
		guard_waits(h->guard, c);
		h->mhd.suspend(c);
	}
	pthread_mutex_unlock(&h->lock);
	return ok != MHD_NO ? ok : answer_text(h, c, UNAVAILABLE, "text/plain", "not available\n");
}

static int handle(void *arg, struct MHD_Connection *c, const char *url, const char *method, const char *version,
		  const char *upload, size_t *upload_size, void **state)
{
	static char begun;
	struct http *h = arg;

	(void)version, (void)upload;
	if (strcmp(method, "GET") && strcmp(method, "HEAD")) {
		if (!*state) {		/* the body, if any, is read and ignored */
			*state = &begun;
			return MHD_YES;
		}
		if (*upload_size) {
			*upload_size = 0;
			return MHD_YES;
		}
		return answer_text(h, c, NOT_ALLOWED, "text/plain", "only GET and HEAD\n");
	}
	if (!*state) {			/* the first call is for the headers only */
		pthread_mutex_lock(&h->lock);
		h->requests++;
		pthread_mutex_unlock(&h->lock);
		*state = &begun;
		return MHD_YES;
	}
	if (!host_allowed(h, h->mhd.lookup(c, MHD_HEADER_KIND, "Host")))
		return answer_text(h, c, MISDIRECTED, "text/plain", "unknown host: use an address, or start dtr serve "
				   "with --host NAME\n");
	if (!strcmp(url, "/"))
		return answer_text(h, c, OK, "text/html; charset=utf-8", index_page);
	if (!strcmp(url, "/healthz"))
		return answer_text(h, c, OK, "text/plain", "ok\n");
	if (!strcmp(url, "/metrics"))
		return answer_page(h, c, metrics_form(h->mhd.lookup(c, MHD_HEADER_KIND, "Accept")), state);
	if (!strcmp(url, "/profile"))
		return answer_page(h, c, DTR_PPROF, state);
	if (!strcmp(url, "/flame"))
		return answer_page(h, c, DTR_FLAME, state);
	return answer_text(h, c, NOT_FOUND, "text/plain", "no such page\n");
}

/* ---- pages ---- */

bool http_wants(struct http *h, enum dtr_page page)
{
	bool wants;

	pthread_mutex_lock(&h->lock);
	wants = h->page[page].nwaiting > 0;
	pthread_mutex_unlock(&h->lock);
	return wants;
}

/* Call it with the lock. */
static void resume_all(struct http *h, struct http_page *p)
{
	for (unsigned i = 0; i < p->nwaiting; i++)
		h->mhd.resume(p->waiting[i]);
	p->nwaiting = 0;
}

void http_publish(struct http *h, enum dtr_page page, char *data, size_t size)
{
	struct MHD_Response *r = data ? h->mhd.response(size, data, MHD_RESPMEM_MUST_FREE) : NULL;
	struct http_page *p = &h->page[page];

	if (r) {
		h->mhd.header(r, "Content-Type", types[page]);
		h->mhd.header(r, "Vary", "Accept");
		if (page == DTR_PPROF)
			h->mhd.header(r, "Content-Disposition", "attachment; filename=\"profile.pb.gz\"");
	}
	pthread_mutex_lock(&h->lock);
	if (r && p->response)
		h->mhd.release(p->response);
	if (r)
		p->response = r;
	p->failed = !r;
	p->time = clock_now();
	resume_all(h, p);
	pthread_mutex_unlock(&h->lock);
}

unsigned long http_requests(struct http *h)
{
	unsigned long n;

	pthread_mutex_lock(&h->lock);
	n = h->requests;
	pthread_mutex_unlock(&h->lock);
	return n;
}

/* ---- the socket ---- */

/* "[ADDRESS]:PORT", "ADDRESS:PORT", ":PORT". Returns false if the text is none of them. */
static bool split_address(const char *text, char *host, size_t nhost, const char **port)
{
	const char *colon = strrchr(text, ':'), *from = text, *to = colon;

	if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
	    strtoul(colon + 1, NULL, 10) > 65535 || strlen(colon + 1) > 5)
		return false;
	if (*from == '[' && to > from && to[-1] == ']') {
		from++;
		to--;
	} else if (memchr(from, ':', (size_t)(to - from)) || *from == '[') {
		return false;		/* an IPv6 address needs brackets */
	}
	if ((size_t)(to - from) >= nhost)
		return false;
	snprintf(host, nhost, "%.*s", (int)(to - from), from);
	if (!*host)
		snprintf(host, nhost, "%s", HTTP_ADDRESS);
	*port = colon + 1;
	return true;
}

/* Returns a socket, or -errno. */
static int listen_at(const struct addrinfo *a)
{
	const int on = 1;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err = 0;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, a->ai_addr, a->ai_addrlen) < 0 || listen(fd, QUEUE) < 0)
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static void set_url(struct http *h)
{
	struct sockaddr_storage a;
	socklen_t n = sizeof a;
	char host[64] = "", port[8] = "";

	if (getsockname(h->fd, (struct sockaddr *)&a, &n) == 0)
		getnameinfo((struct sockaddr *)&a, n, host, sizeof host, port, sizeof port,
			    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(h->url, sizeof h->url, strchr(host, ':') ? "http://[%s]:%s/" : "http://%s:%s/", host, port);
}

static int open_socket(struct http *h, const char *text, char *reason, size_t n)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE, .ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *list;
	const char *port;
	char host[64];

	if (!split_address(text, host, sizeof host, &port) || getaddrinfo(host, port, &hints, &list)) {
		snprintf(reason, n, "invalid address '%s': expected ADDRESS:PORT, such as %s:%s or [::1]:%s", text,
			 HTTP_ADDRESS, HTTP_PORT, HTTP_PORT);
		return -1;
	}
	h->fd = listen_at(list);
	freeaddrinfo(list);
	if (h->fd >= 0) {
		set_url(h);
		return 0;
	}
	snprintf(reason, n, "failed to listen on %s: %s", text, strerror(-h->fd));
	return -1;
}

int http_open(struct http **out, const char *listen, const struct http_hosts *hosts, char *reason, size_t n)
{
	const unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_ALLOW_SUSPEND_RESUME;
	struct http *h = calloc(1, sizeof *h);

	*out = h;
	if (!h) {
		snprintf(reason, n, "out of memory");
		return -1;
	}
	h->fd = -1;
	h->hosts = *hosts;
	pthread_mutex_init(&h->lock, NULL);
	if (mhd_open(&h->mhd) < 0) {
		snprintf(reason, n, "%s is needed: install %s", MHD_LIBRARY, MHD_PACKAGE);
		return -1;
	}
	if (open_socket(h, listen, reason, n) < 0)
		return -1;
	h->guard = guard_open(&h->mhd, HTTP_CONNECTIONS);
	if (!h->guard) {
		snprintf(reason, n, "failed to start a thread");
		return -1;
	}
	h->daemon = h->mhd.start(flags, 0, NULL, NULL, handle, h, MHD_OPTION_LISTEN_SOCKET, h->fd,
				 MHD_OPTION_NOTIFY_CONNECTION, guard_connection, h->guard,
				 MHD_OPTION_NOTIFY_COMPLETED, guard_completed, h->guard,
				 MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CONNECTIONS,
				 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_CONNECTION_BYTES,
				 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_IDLE_S, MHD_OPTION_END);
	if (h->daemon)
		return 0;
	snprintf(reason, n, "failed to start the HTTP server");
	return -1;
}

const char *http_url(const struct http *h)
{
	return h->url;
}

void http_close(struct http *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	h->closing = true;
	for (int i = 0; i < DTR_NPAGES; i++) {
		h->page[i].failed = true;
		resume_all(h, &h->page[i]);
	}
	pthread_mutex_unlock(&h->lock);
	if (h->daemon)
		h->mhd.stop(h->daemon);		/* closes the socket */
	else if (h->fd >= 0)
		close(h->fd);
	guard_close(h->guard);
	for (int i = 0; i < DTR_NPAGES; i++)
		if (h->page[i].response)
			h->mhd.release(h->page[i].response);
	pthread_mutex_destroy(&h->lock);
	mhd_close(&h->mhd);
	free(h);
}
