/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/site/site.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "providers/cgroup.h"
#include "providers/perf.h"
#include "providers/rawtp.h"
#include "providers/registry.h"

struct sited {
	const struct site_row *row;	/* the first one of this name */
	const struct site_row *end;	/* after the last one */
	const struct site_row *fits;	/* the one that is used; NULL: not known, or none */
	struct kernel_facts *facts;
	int fd[SITE_MAX];
	struct perf_set events;		/* of a row whose site is a perf event */
};

/* The end of the rows of the same name. */
static const struct site_row *namesakes_end(const struct site_row *r, const struct site_row *end)
{
	const char *name = r->name;

	while (r < end && !strcmp(r->name, name))
		r++;
	return r;
}

/* True if this kernel may have it, as far as is known without its type information. */
static bool may_fit(const struct site_row *r)
{
	return r->site && (!r->site[0].needs || access(r->site[0].needs, F_OK) == 0);
}

static bool row_fits(const struct site_row *r, struct kernel_facts *f)
{
	return may_fit(r) && fact_holds(f, r->has) && (!r->lacks || !fact_holds(f, r->lacks));
}

static const struct site_row *first_fit(const struct site_row *r, const struct site_row *end, struct kernel_facts *f)
{
	while (r < end && !row_fits(r, f))
		r++;
	return r < end ? r : NULL;
}

/* Other scripts enumerate these providers, too: the kernel's type information is read when a probe is named. */
void site_enumerate(const struct provider *self, struct probe_set *s)
{
	const struct site_row *last = self->sites->rows + self->sites->nrows;

	for (const struct site_row *r = self->sites->rows, *end; r < last; r = end) {
		struct sited *d;

		end = namesakes_end(r, last);
		while (r < end && !may_fit(r))
			r++;
		if (r == end)
			continue;
		d = arena_calloc(s->arena, 1, sizeof *d);
		d->row = r;
		d->end = end;
		d->facts = &s->facts;
		memset(d->fd, 0xff, sizeof d->fd);
		probe_add(s, self, &(struct probe_names){ .mod = "vmlinux", .name = r->name }, d);
	}
}

/* The row that is used; the first one if the kernel has none. */
static const struct site_row *row_of(struct sited *d)
{
	if (!d->fits)
		d->fits = first_fit(d->row, d->end, d->facts);
	return d->fits ? d->fits : d->row;
}

bool site_exists(const struct probe *p)
{
	struct sited *d = p->data;

	return row_of(d) == d->fits;
}

/* Existing probes are enumerated; the other rows are names that DTrace has on other systems. */
int site_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		 size_t n)
{
	const struct site_row *last = self->sites->rows + self->sites->nrows;

	for (const struct site_row *r = self->sites->rows; r < last && *spec->prov; r++) {
		if (strcmp(spec->name, r->name))
			continue;
		if (first_fit(r, namesakes_end(r, last), &s->facts))
			return 0;
		snprintf(reason, n, "%s", r->never ? r->never : "this kernel has no tracepoint for it");
		return -1;
	}
	return 0;
}

bool site_late(const struct provider *self, const struct probe_spec *spec)
{
	if (*spec->func || !probe_glob(spec->mod, "vmlinux"))
		return false;
	for (size_t i = 0; i < self->sites->nrows; i++) {
		if (probe_glob(spec->name, self->sites->rows[i].name))
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
	const struct site_row *r = row_of(sited_of(p));
	unsigned n = 0;

	for (; r->arg && n < SITE_ARGS && n < max && r->arg[n].native; n++)
		out[n] = r->arg[n];
	return n;
}

const struct probe_site *site_list(const struct probe *p, unsigned *n)
{
	const struct site_row *r = row_of(sited_of(p));

	for (*n = 0; r->site && *n < SITE_MAX && r->site[*n].at;)
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

enum ir_ctx site_ctx(const struct probe *p)
{
	const struct probe_site *first = row_of(sited_of(p))->site;

	return first->software ? IR_C_PERF : cgroup_is(first->at) ? IR_C_CGROUP : IR_C_RAWTP;
}

/* A perf event on each CPU that fires at every event. */
static int attach_event(struct sited *d, struct attach_env *env)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, row_of(d)->site[env->site].software, 1);
	int r = perf_set_open(&d->events, &attr, &(struct perf_run){ env->prog_fd, env->cpus, env->ncpus },
			      env->reason, sizeof env->reason);

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
	const char *at = row_of(d)->site[env->site].at;
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

	return row_of(d)->site[env->site].software ? attach_event(d, env) : attach_tracepoint(d, env);
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
