/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/serve/push.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/serve/curl.h"
#include "cmd/dtr/serve/spool.h"

#define BOUNDARY "dtr-5f1c0e7a94d34b28"	/* between the parts of a form */

struct push {
	const struct push_config *config;
	struct curl curl;
	pthread_t thread;
	bool running;
	pthread_mutex_t lock;		/* protects the following */
	pthread_cond_t changed;
	struct spool spool;
	struct push_counts counts;
	bool closing;			/* no more profiles will come */
	bool failing;			/* the last attempt has failed, and that was reported */
	bool full;			/* the last profile could not be queued, and that was reported */
	atomic_bool stop;		/* give up the transfer that is running */
};

/* ---- requests ---- */

static void put_base64(struct buf *b, const char *data, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)data;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);

		buf_putc(b, digits[v >> 18]);
		buf_putc(b, digits[v >> 12 & 63]);
		buf_putc(b, i + 1 < n ? digits[v >> 6 & 63] : '=');
		buf_putc(b, i + 2 < n ? digits[v & 63] : '=');
	}
}

static void put_json_label(struct buf *b, const char *name, const char *value)
{
	json_open(b, '{');
	json_name(b, "name");
	json_text(b, name);
	json_name(b, "value");
	json_text(b, value);
	json_close(b, '}');
}

static void put_parca(struct buf *b, const struct push_config *c, const char *profile, size_t size)
{
	json_open(b, '{');
	json_name(b, "series");
	json_open(b, '[');
	json_open(b, '{');
	json_name(b, "labels");
	json_open(b, '{');
	json_name(b, "labels");
	json_open(b, '[');
	put_json_label(b, "__name__", c->name);
	for (size_t i = 0; i < c->nlabels; i++)
		put_json_label(b, c->label[i].name, c->label[i].value);
	json_close(b, ']');
	json_close(b, '}');
	json_name(b, "samples");
	buf_puts(b, "[{\"rawProfile\":\"");
	put_base64(b, profile, size);
	buf_puts(b, "\"}]}],\"normalized\":true}");
}

/* What Pyroscope must know of sample types that are not its own. */
static void put_types(struct buf *b, const struct push_config *c)
{
	json_open(b, '{');
	for (size_t i = 0; i < c->ntypes; i++) {
		const char *name = c->types[i];

		json_name(b, name);
		json_open(b, '{');
		json_name(b, "units");
		json_text(b, "samples");
		json_name(b, "aggregation");
		json_text(b, "sum");
		json_name(b, "display-name");
		json_text(b, name[1] ? name + 1 : "samples");
		json_name(b, "sampled");
		json_bool(b, false);
		json_close(b, '}');
	}
	json_close(b, '}');
}

static void put_part(struct buf *b, const char *name, const char *file)
{
	buf_printf(b, "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"%s\"\r\n"
		   "Content-Type: application/octet-stream\r\n\r\n", name, file);
}

static void put_pyroscope(struct buf *b, const struct push_config *c, const char *profile, size_t size)
{
	struct buf types = { 0 };

	put_types(&types, c);
	put_part(b, "profile", "profile.pprof");
	buf_put(b, profile, size);
	buf_puts(b, "\r\n");
	put_part(b, "sample_type_config", "sample_type_config.json");
	buf_put(b, types.data, types.len);
	buf_puts(b, "\r\n--" BOUNDARY "--\r\n");
	b->failed |= types.failed;
	buf_free(&types);
}

static void put_escaped(struct buf *b, const char *s)
{
	for (; *s; s++)
		if (isalnum((unsigned char)*s) || strchr("-._~", *s))
			buf_putc(b, *s);
		else
			buf_printf(b, "%%%02X", (unsigned char)*s);
}

static void put_url(struct buf *b, const struct push_config *c, uint64_t from, uint64_t until)
{
	size_t n = strlen(c->url);

	while (n && c->url[n - 1] == '/')
		n--;
	buf_put(b, c->url, n);
	if (c->parca) {
		buf_puts(b, "/api/profiles/writeraw");
		return;
	}
	buf_puts(b, "/ingest?name=");
	put_escaped(b, c->name);
	for (size_t i = 0; i < c->nlabels; i++) {
		buf_puts(b, i ? "%2C" : "%7B");
		put_escaped(b, c->label[i].name);
		buf_puts(b, "%3D");
		put_escaped(b, c->label[i].value);
	}
	buf_printf(b, "%s&from=%" PRIu64 "&until=%" PRIu64 "&format=pprof&spyName=dtr", c->nlabels ? "%7D" : "",
		   from / 1000000000, (until + 999999999) / 1000000000);
}

/* ---- the thread ---- */

enum outcome { SENT, AGAIN, REFUSED };

/* Too many requests, a timeout, an error of the server: these may pass. */
static enum outcome outcome_of(long status)
{
	if (status >= 200 && status < 300)
		return SENT;
	return status == 0 || status == 408 || status == 429 || status >= 500 ? AGAIN : REFUSED;
}

static enum outcome send_one(struct push *p, const struct buf *body, uint64_t from, uint64_t until, char *reason,
			     size_t n)
{
	const char *type = p->config->parca ? "application/json" : "multipart/form-data; boundary=" BOUNDARY;
	struct buf url = { 0 };
	long status;

	put_url(&url, p->config, from, until);
	status = curl_post(&p->curl, buf_str(&url), type, buf_str(body), body->len, &p->stop, reason, n);
	if (status)
		snprintf(reason, n, "the server answered with status %ld", status);
	buf_free(&url);
	return outcome_of(status);
}

/* Call it with the lock. Reports the first failure of a series, and its end. */
static void note(struct push *p, enum outcome outcome, const char *reason)
{
	const struct push_config *c = p->config;

	if (outcome == SENT && p->failing)
		say("%s: pushing to %s works again\n", c->prog, c->shown);
	if (outcome != SENT && !p->failing && !p->stop)
		say("%s: failed to push to %s: %s%s\n", c->prog, c->shown, reason,
		    outcome == AGAIN ? "; trying again" : "; the profile is dropped");
	p->failing = outcome != SENT;
	p->counts.sent += outcome == SENT;
	p->counts.failed += outcome != SENT;
	p->counts.refused += outcome == REFUSED;
}

/* Call it with the lock, which is released while the request runs. Returns false if it must be repeated. */
static bool send_first(struct push *p)
{
	char reason[256] = "";
	struct buf body = { 0 };
	uint64_t from, until;
	enum outcome outcome;
	int r = spool_first(&p->spool, &body, &from, &until);

	if (r <= 0) {
		if (r < 0)
			say("%s: failed to read a queued profile: %s\n", p->config->prog, strerror(-r));
		buf_free(&body);
		return true;
	}
	pthread_mutex_unlock(&p->lock);
	outcome = send_one(p, &body, from, until, reason, sizeof reason);
	pthread_mutex_lock(&p->lock);
	if (outcome != AGAIN)
		spool_remove(&p->spool, from, until);
	note(p, outcome, reason);
	buf_free(&body);
	return outcome != AGAIN;
}

/* Call it with the lock. Waits until push_close, or for `seconds`. */
static void pause_for(struct push *p, unsigned seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += seconds;
	while (!p->closing && pthread_cond_timedwait(&p->changed, &p->lock, &t) != ETIMEDOUT)
		;
}

static void *run(void *arg)
{
	struct push *p = arg;
	unsigned wait = PUSH_WAIT_S;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (!p->spool.n && !p->closing)
			pthread_cond_wait(&p->changed, &p->lock);
		if (!p->spool.n)
			break;
		if (send_first(p)) {
			wait = PUSH_WAIT_S;
		} else if (p->closing) {
			break;
		} else {
			pause_for(p, wait);
			wait = 2 * wait < PUSH_WAIT_MAX_S ? 2 * wait : PUSH_WAIT_MAX_S;
		}
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- the interface ---- */

int push_open(struct push **out, const struct push_config *config, char *reason, size_t n)
{
	struct push *p = calloc(1, sizeof *p);
	pthread_condattr_t clock;
	int r;

	*out = p;
	if (!p) {
		snprintf(reason, n, "out of memory");
		return -1;
	}
	p->config = config;
	p->spool.lock = -1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&p->changed, &clock);
	pthread_condattr_destroy(&clock);
	if (curl_open(&p->curl) < 0) {
		snprintf(reason, n, "%s is needed: install %s", CURL_LIBRARY, CURL_PACKAGE);
		return -1;
	}
	r = spool_open(&p->spool, config->dir, config->parca ? "parca" : "pyroscope", config->most);
	if (r < 0) {
		snprintf(reason, n, "failed to open the folder %s: %s", config->dir,
			 r == -EWOULDBLOCK ? "another process uses it" : strerror(-r));
		return -1;
	}
	r = pthread_create(&p->thread, NULL, run, p);
	p->running = !r;
	if (r)
		snprintf(reason, n, "failed to start a thread: %s", strerror(r));
	return r ? -1 : 0;
}

void push_add(struct push *p, const char *profile, size_t size, uint64_t from, uint64_t until)
{
	struct buf body = { 0 };
	int r;

	(p->config->parca ? put_parca : put_pyroscope)(&body, p->config, profile, size);
	pthread_mutex_lock(&p->lock);
	if (body.failed) {
		r = -ENOMEM;
		p->counts.dropped++;
	} else {
		r = spool_add(&p->spool, from, until, buf_str(&body), body.len);
	}
	if (r < 0 && !p->full)
		say("%s: failed to queue a profile: %s\n", p->config->prog, strerror(-r));
	p->full = r < 0;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	buf_free(&body);
}

void push_count(struct push *p, struct push_counts *out)
{
	pthread_mutex_lock(&p->lock);
	*out = p->counts;
	out->dropped += p->spool.dropped;
	out->waiting = p->spool.n;
	pthread_mutex_unlock(&p->lock);
}

/* The thread ends when the queue is empty or an attempt fails, and soon after `stop`. */
static void end_thread(struct push *p)
{
	struct timespec t;

	pthread_mutex_lock(&p->lock);
	p->closing = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += PUSH_LAST_S;
	if (pthread_timedjoin_np(p->thread, NULL, &t) == 0)
		return;
	p->stop = true;
	pthread_join(p->thread, NULL);
}

static void report_lost(const struct push *p)
{
	uint64_t dropped = p->counts.dropped + p->spool.dropped, refused = p->counts.refused;
	const char *prog = p->config->prog;

	if (p->spool.n && !p->config->dir)
		say("%s: %zu profile%s not sent: --spool keeps them for the next run\n", prog, p->spool.n,
		    p->spool.n == 1 ? " was" : "s were");
	if (dropped)
		say("%s: %" PRIu64 " profile%s dropped: %s could not be queued\n", prog, dropped,
		    dropped == 1 ? " was" : "s were", dropped == 1 ? "it" : "they");
	if (refused)
		say("%s: %" PRIu64 " profile%s dropped: the store refused %s\n", prog, refused,
		    refused == 1 ? " was" : "s were", refused == 1 ? "it" : "them");
}

void push_close(struct push *p)
{
	if (!p)
		return;
	if (p->running)
		end_thread(p);
	report_lost(p);
	spool_close(&p->spool);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->changed);
	free(p);
}
