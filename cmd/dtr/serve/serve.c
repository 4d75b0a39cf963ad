/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/serve/serve.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/say.h"

static int failed(const struct serve *s, const char *reason)
{
	say("%s: serve: %s\n", s->prog, reason);
	return -1;
}

static int serve_open(void *arg, struct dtr *t)
{
	struct serve *s = arg;
	char reason[256];

	dtr_omit(t);
	if (!s->listen)
		return 0;
	if (http_open(&s->http, s->listen, &(struct http_hosts){ s->hosts.v, s->hosts.n }, reason, sizeof reason) < 0)
		return failed(s, reason);
	return 0;
}

/* The types of the samples are the aggregations. */
static void set_types(struct serve *s, struct arena *a, struct dtr *t)
{
	unsigned n = dtr_agg_count(t);
	const char **types = arena_calloc(a, n + 1, sizeof *types);
	struct dtr_agg agg;

	for (unsigned i = 0; i < n; i++) {
		dtr_agg(t, i, &agg);
		types[i] = arena_printf(a, "@%s", agg.name);
	}
	s->config.types = types;
	s->config.ntypes = n;
}

static int serve_push(struct serve *s, struct dtr *t)
{
	char reason[256];

	s->config.prog = s->prog;
	s->config.label = s->labels.v;
	s->config.nlabels = s->labels.n;
	set_types(s, s->arena, t);
	s->due = clock_now() + s->interval;
	s->began = clock_read(CLOCK_REALTIME);
	return push_open(&s->push, &s->config, reason, sizeof reason) < 0 ? failed(s, reason) : 0;
}

static int serve_begin(void *arg, struct dtr *t)
{
	struct serve *s = arg;

	if (s->config.url && serve_push(s, t) < 0)
		return -1;
	if (s->http)
		say("%s: serving on %s\n", s->prog, http_url(s->http));
	return 0;
}

/* ---- rendering ---- */

enum { NOWN = 6 };

static unsigned own_metrics(struct serve *s, struct dtr_metric own[NOWN])
{
	struct push_counts c;
	unsigned n = 0;

	if (s->http)
		own[n++] = (struct dtr_metric){ "dtr_http_requests", "requests to dtr serve", true,
						(int64_t)http_requests(s->http) };
	if (!s->push)
		return n;
	push_count(s->push, &c);
	own[n++] = (struct dtr_metric){ "dtr_push_sent", "profiles that were sent", true, (int64_t)c.sent };
	own[n++] = (struct dtr_metric){ "dtr_push_failures", "failed attempts to send", true, (int64_t)c.failed };
	own[n++] = (struct dtr_metric){ "dtr_push_refused", "profiles that the store did not accept", true,
					(int64_t)c.refused };
	own[n++] = (struct dtr_metric){ "dtr_push_dropped", "profiles for which there was no room", true,
					(int64_t)c.dropped };
	own[n++] = (struct dtr_metric){ "dtr_push_waiting", "profiles in the queue", false, (int64_t)c.waiting };
	return n;
}

static void render(struct serve *s, struct dtr *t, enum dtr_page page)
{
	struct dtr_metric own[NOWN];
	char *data = NULL;
	size_t size = 0;

	if (dtr_page(t, page, own, own_metrics(s, own), &data, &size) < 0)
		data = NULL;
	http_publish(s->http, page, data, size);
}

static void queue_profile(struct serve *s, struct dtr *t)
{
	uint64_t now = clock_read(CLOCK_REALTIME);
	char *data = NULL;
	size_t size;
	bool empty;

	if (dtr_profile_added(t, &data, &size, &empty) == 0 && !empty)
		push_add(s->push, data, size, s->began, now);
	free(data);
	s->began = now;
}

static void serve_pass(struct serve *s, struct dtr *t)
{
	bool wanted[DTR_NPAGES] = { 0 }, any = false, push = s->push && clock_now() >= s->due;
	int r;

	for (int i = 0; s->http && i < DTR_NPAGES; i++)
		any |= wanted[i] = http_wants(s->http, (enum dtr_page)i);
	if (!any && !push)
		return;
	r = dtr_snapshot(t);
	for (int i = 0; i < DTR_NPAGES; i++) {
		if (!wanted[i])
			continue;
		if (r)
			http_publish(s->http, (enum dtr_page)i, NULL, 0);
		else
			render(s, t, (enum dtr_page)i);
	}
	if (!push)
		return;
	if (!r)
		queue_profile(s, t);
	s->due = clock_now() + s->interval;
}

static enum dtr_work serve_work(void *arg, struct dtr *t)
{
	enum dtr_work more = dtr_work(t);

	serve_pass(arg, t);
	return more;
}

static void serve_end(void *arg, struct dtr *t)
{
	struct serve *s = arg;

	(void)t;
	http_close(s->http);
	s->http = NULL;
}

/* No probe fires any more: the last profile has all that the earlier ones have not. */
static int serve_finish(void *arg, struct dtr *t)
{
	struct serve *s = arg;

	if (s->push && dtr_snapshot(t) == 0)
		queue_profile(s, t);
	return 0;
}

/* Sends what can be sent within seconds. */
static void serve_stop(void *arg)
{
	struct serve *s = arg;

	http_close(s->http);
	s->http = NULL;
	push_close(s->push);
	s->push = NULL;
}

/* Listens before dtr_go, pushes after it. Each dtr_work is followed by a pass, which renders what requests wait for,
 * and profiles that are due. At the end no more requests are answered, and after it the last profile is queued. */
static const struct front_ops serve_front = {
	.open = serve_open, .begin = serve_begin, .work = serve_work, .end = serve_end, .finish = serve_finish,
	.stop = serve_stop,
};

static int serve_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct serve *s = arena_alloc(&c->arena, sizeof *s);
	struct command_line l;

	*s = (struct serve){
		.arena = &c->arena, .prog = c->args.prog, .listen = HTTP_ADDRESS ":" HTTP_PORT,
		.interval = 10 * 1000000000ull, .config = { .name = "dtr", .most = 64 << 20 },
	};
	if (command_parse(&l, c, self, s, argc, argv))
		return l.status;
	if (serve_expand(&l) < 0 || cmd_parse(c, &l) < 0)
		return 2;
	if (c->args.query) {
		command_failed(&l, "a recording is not live: query it with %s -r", c->args.prog);
		return 2;
	}
	c->front = (struct front){ &serve_front, s };
	return cmd_run(c);
}

const struct command command_serve = {
	.name = "serve", .summary = "publish aggregations over HTTP",
	.usage = "[--listen ADDRESS:PORT] [--push URL] [options] SCRIPT.d | -n SCRIPT [argument ...]",
	.about = "Runs a script until it is interrupted and publishes its aggregations over HTTP: /metrics for "
		 "Prometheus, /profile for pprof, /flame as a page with flame graphs.\n",
	.options = serve_options, .more = "\nOther options are those of dtr (dtr --help).\n",
	.passes = ARGS_LETTERS, .operands = true, .run = serve_main,
};
