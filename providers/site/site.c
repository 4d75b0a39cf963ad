/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/site/site.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/kernel.h"
#include "providers/cgroup.h"
#include "providers/perf.h"
#include "providers/rawtp.h"
#include "providers/registry.h"

struct sited {
	const struct site_row *row;
	int fd[SITE_MAX];
	struct perf_set events;		/* of a row whose site is a perf event */
};

static bool holds(const struct site_row *r, unsigned kernel)
{
	return !r->never && r->since <= kernel && (!r->until || kernel < r->until) &&
	       (!r->site[0].needs || access(r->site[0].needs, F_OK) == 0);
}

void site_enumerate(struct probe_set *s, const struct provider *p, const struct site_row *rows, size_t n)
{
	unsigned kernel = kernel_version();

	for (size_t i = 0; i < n; i++) {
		struct sited *d;

		if (!holds(&rows[i], kernel))
			continue;
		d = arena_calloc(s->arena, 1, sizeof *d);
		d->row = &rows[i];
		memset(d->fd, 0xff, sizeof d->fd);
		probe_add(s, p, "vmlinux", "", rows[i].name, d);
	}
}

/* Existing probes are enumerated; the other rows are names that DTrace has on other systems. */
int site_provide(const struct probe_spec *spec, const struct site_row *rows, size_t n, char *reason, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(spec->name, rows[i].name) || !*spec->prov)
			continue;
		if (holds(&rows[i], kernel_version()))
			continue;
		snprintf(reason, size, "%s", rows[i].never ? rows[i].never : "this kernel has no tracepoint for it");
		return -1;
	}
	return 0;
}

bool site_late(const struct probe_spec *spec, const struct site_row *rows, size_t n)
{
	if (*spec->func || !probe_glob(spec->mod, "vmlinux"))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (probe_glob(spec->name, rows[i].name))
			return true;
	}
	return false;
}

static struct sited *sited_of(const struct probe *p)
{
	return p->data;
}

unsigned site_args(const struct probe *p, struct arg_desc *out, unsigned max)
{
	const struct site_row *r = sited_of(p)->row;
	unsigned n = 0;

	for (; n < SITE_ARGS && n < max && r->arg[n].native; n++)
		out[n] = r->arg[n];
	return n;
}

const struct probe_site *site_list(const struct probe *p, unsigned *n)
{
	const struct site_row *r = sited_of(p)->row;

	for (*n = 0; *n < SITE_MAX && r->site[*n].at;)
		++*n;
	return r->site;
}

const struct provider_attr site_attr = {
	.provider = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.args = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
};

const struct provider_sites site_sites = { .list = site_list };

enum ir_ctx site_ctx(const struct probe *p)
{
	const struct probe_site *first = sited_of(p)->row->site;

	return first->software ? IR_C_PERF : cgroup_is(first->at) ? IR_C_CGROUP : IR_C_RAWTP;
}

/* A perf event on each CPU that fires at every event. */
static int attach_event(struct sited *d, struct attach_env *env)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, d->row->site[env->site].software, 1);
	int r = perf_set_open(&d->events, &attr, env->prog_fd, env->cpus, env->ncpus, env->reason,
			      sizeof env->reason);

	if (!r)
		r = perf_set_enable(&d->events);
	if (r)
		perf_set_close(&d->events);
	return r;
}

static void site_refresh(struct probe *p, const int *cpus, unsigned ncpus)
{
	struct sited *d = sited_of(p);

	if (d->events.v)
		perf_set_refresh(&d->events, cpus, ncpus);
}

static bool never_due(struct probe *p, uint64_t end, struct probe_due *out)
{
	(void)p, (void)end, (void)out;
	return false;
}

static bool no_interval(struct probe *p, struct attach_env *env, struct probe_due *out)
{
	(void)p, (void)env, (void)out;
	return false;
}

const struct provider_clock site_clock = { .refresh = site_refresh, .due = never_due, .interval = no_interval };

static int attach_tracepoint(struct sited *d, struct attach_env *env)
{
	const char *at = d->row->site[env->site].at;
	int fd;

	if (cgroup_is(at))
		fd = cgroup_open(at, env->prog_fd, env->reason, sizeof env->reason);
	else
		fd = rawtp_open(env->typed ? NULL : at, env->prog_fd, env->reason, sizeof env->reason);
	if (fd >= 0)
		d->fd[env->site] = fd;
	return fd < 0 ? fd : 0;
}

int site_attach(struct probe *p, struct attach_env *env)
{
	struct sited *d = sited_of(p);

	return d->row->site[env->site].software ? attach_event(d, env) : attach_tracepoint(d, env);
}

void site_detach(struct probe *p)
{
	struct sited *d = sited_of(p);

	perf_set_close(&d->events);
	for (unsigned i = 0; i < SITE_MAX; i++) {
		if (d->fd[i] >= 0)
			close(d->fd[i]);
		d->fd[i] = -1;
	}
}
