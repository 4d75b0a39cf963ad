/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of probes of the cpc provider. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "providers/cpc/cpc.h"
#include "providers/pmu.h"
#include "providers/profile/profile.h"

/* The modes in which events are counted. */
static const struct mode {
	const char *name;		/* between hyphens */
	bool no_user, no_kernel;
} modes[] = {
	{ .name = "-user-", .no_kernel = true }, { .name = "-kernel-", .no_user = true }, { .name = "-all-" },
};

static const struct mode *find_mode(const char *name, const char **at)
{
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		*at = strstr(name, modes[i].name);
		if (*at && *at > name)
			return &modes[i];
	}
	return NULL;
}

static int refuse_name(char *reason, size_t n, const char *text)
{
	snprintf(reason, n, "%s", text);
	return -1;
}

static int parse_count(const char *text, uint64_t *count, char *reason, size_t n)
{
	*count = 0;
	if (!*text || strspn(text, "0123456789") != strlen(text))
		return refuse_name(reason, n, "the last part must be the number of events for each firing: "
			      "EVENT-MODE-[UMASK-]COUNT");
	for (; *text; text++) {
		unsigned digit = (unsigned)(*text - '0');

		if (*count > ((uint64_t)INT64_MAX - digit) / 10)
			return refuse_name(reason, n, "the count is too large: at most 2^63-1");
		*count = *count * 10 + digit;
	}
	return 0;
}

/* Software events have no lower limit: they are as exact for each single event. */
static int check_floor(const struct cpc *c, char *reason, size_t n)
{
	static const uint64_t floors[] = {
		[EVENT_SOFTWARE] = 1, [EVENT_CLOCK] = PROFILE_FLOOR_NS, [EVENT_HARDWARE] = CPC_FLOOR,
	};

	if (c->count >= floors[c->kind])
		return 1;
	snprintf(reason, n, "count %" PRIu64 " is below the floor of %" PRIu64 "%s", c->count, floors[c->kind],
		 c->kind == EVENT_CLOCK ? " ns" : "");
	return -1;
}

int cpc_parse(const char *name, struct cpc *out, char *reason, size_t n)
{
	const char *at, *rest, *last;
	const struct mode *mode = find_mode(name, &at);
	struct perf_event_attr attr;
	char event[128], umask[128];
	int kind;

	memset(out, 0, sizeof *out);
	if (!mode)
		return 0;
	rest = at + strlen(mode->name);
	last = strrchr(rest, '-');
	if ((size_t)(at - name) >= sizeof event || (last && (size_t)(last - rest) >= sizeof umask))
		return refuse_name(reason, n, "the name of the event is too long");
	snprintf(event, sizeof event, "%.*s", (int)(at - name), name);
	snprintf(umask, sizeof umask, "%.*s", last ? (int)(last - rest) : 0, rest);
	if (last && last == rest)
		return refuse_name(reason, n, "the umask is empty");
	if (parse_count(last ? last + 1 : rest, &out->count, reason, n))
		return -1;
	kind = event_attr(event, umask, &attr, reason, n);
	if (kind < 0)
		return -1;
	out->kind = (enum event_kind)kind;
	out->attr = perf_attr(attr.type, attr.config, out->count);
	out->attr.config1 = attr.config1;
	out->attr.config2 = attr.config2;
	out->attr.exclude_user = mode->no_user;
	out->attr.exclude_kernel = mode->no_kernel;
	out->attr.exclude_hv = mode->no_kernel;
	/* it has a counter at all times, or is refused: a shared counter would miss events */
	out->attr.pinned = kind == EVENT_HARDWARE;
	return check_floor(out, reason, n);
}

/* ---- the list ---- */

/* COUNT of listed probes. */
static const uint64_t counts[] = {
	[EVENT_SOFTWARE] = 1, [EVENT_CLOCK] = 1000000, [EVENT_HARDWARE] = 1000000,
};

static void list_name(char *out, size_t n, const char *event, enum event_kind kind)
{
	snprintf(out, n, "%s-all-%" PRIu64, event, counts[kind]);
}

bool cpc_may_mean(const char *pattern)
{
	const struct event_row *row;
	char name[192];

	for (size_t i = 0; (row = event_row(i)); i++) {
		list_name(name, sizeof name, row->name, row->kind);
		if (probe_glob(pattern, name))
			return true;
	}
	return false;
}

struct lister {
	void (*fn)(void *arg, const char *name);
	void *arg;
};

/* Lists an event, if this machine can sample by it, with a count that suits it. */
static bool list_event(const struct lister *l, const char *event, enum event_kind kind)
{
	char name[192], reason[256];
	struct cpc c;

	list_name(name, sizeof name, event, kind);
	if (cpc_parse(name, &c, reason, sizeof reason) <= 0)
		return false;
	if (c.kind == EVENT_HARDWARE && event_try(&c.attr))
		return false;
	l->fn(l->arg, name);
	return true;
}

static void list_processor(void *arg, const char *event)
{
	if (!event_find(event))
		list_event(arg, event, EVENT_HARDWARE);
}

void cpc_each(void (*fn)(void *arg, const char *name), void *arg)
{
	struct lister l = { fn, arg };
	const struct event_row *row;
	bool counters = false;

	for (size_t i = 0; (row = event_row(i)); i++)
		counters |= list_event(&l, row->name, row->kind) && row->kind == EVENT_HARDWARE;
	if (counters)
		pmu_each(list_processor, &l);
}
