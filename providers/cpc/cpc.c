/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/cpc/cpc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "providers/perf_emit.h"
#include "providers/registry.h"

static const struct provider_attr attr = {
	.provider = { ST_EVOLVING, ST_EVOLVING, SC_COMMON },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_EVOLVING, ST_EVOLVING, SC_CPU },
	.args = { ST_EVOLVING, ST_EVOLVING, SC_COMMON },
};

static struct cpc *cpc_of(const struct probe *p)
{
	return p->data;
}

/* ---- names ---- */

static void cpc_listed(void *arg, const char *name)
{
	struct probe_set *s = arg;
	struct cpc *c = arena_alloc(s->arena, sizeof *c);
	char reason[128];

	if (cpc_parse(name, c, reason, sizeof reason) <= 0)
		return;
	c->set = s;
	probe_add(s, &provider_cpc, &(struct probe_names){ .name = name }, c);
}

static void cpc_enumerate(const struct provider *self, struct probe_set *s)
{
	(void)self;
	cpc_each(cpc_listed, s);
}

/* The list opens every event for a moment: it is made only for those who want it. */
static bool cpc_late(const struct provider *self, const struct probe_spec *spec)
{
	(void)self;
	if ((*spec->name && !probe_is_glob(spec->name)) || !probe_glob(spec->mod, "") || !probe_glob(spec->func, ""))
		return false;
	return *spec->prov || !*spec->name || cpc_may_mean(spec->name);
}

/* A pattern must name the provider to be refused; one that means many providers just matches no probe of this one. */
static bool cpc_patterns(const struct probe_spec *spec)
{
	if (!*spec->name || probe_is_glob(spec->name))
		return !strcmp(spec->prov, "cpc");
	return probe_glob(spec->prov, "cpc") && probe_glob(spec->mod, "") && probe_glob(spec->func, "");
}

/* An event that this machine cannot count is refused where it is named. A missing privilege is reported later. */
static int check_machine(const struct cpc *c, char *reason, size_t n)
{
	int err;

	if (c->attr.exclude_kernel && event_in_kernel(&c->attr)) {
		snprintf(reason, n, "the event happens only in the kernel: MODE must be kernel or all");
		return -1;
	}
	err = event_try(&c->attr);
	if (!err || err == -EACCES || err == -EPERM || err == -EMFILE || err == -ENFILE)
		return 1;
	snprintf(reason, n, "%s", err == -EINVAL ? "this machine cannot count the event in this mode" :
		 perf_reason(err));
	return -1;
}

static int cpc_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		       size_t n)
{
	struct cpc parsed, *c;
	int r;

	if (!*spec->name || probe_is_glob(spec->name)) {
		if (s->runs)
			snprintf(reason, n, "a probe of the cpc provider must be named in full: "
				 "EVENT-MODE-[UMASK-]COUNT; dtr -l -P cpc lists events");
		return s->runs ? -1 : 0;
	}
	r = cpc_parse(spec->name, &parsed, reason, n);
	if (!r && !strcmp(spec->prov, "cpc"))
		snprintf(reason, n, "no mode: the form is EVENT-MODE-[UMASK-]COUNT, and MODE user, kernel or all");
	if (r > 0)
		r = check_machine(&parsed, reason, n);
	if (r <= 0)
		return r;
	c = arena_alloc(s->arena, sizeof *c);
	*c = parsed;
	c->set = s;
	probe_add(s, self, &(struct probe_names){ .name = spec->name }, c);
	return 1;
}

static bool cpc_matches(const struct probe *p, const struct probe_spec *spec)
{
	if ((!*spec->name || probe_is_glob(spec->name)) && cpc_of(p)->set->runs)
		return false;
	return probe_glob(spec->prov, p->provname) && probe_glob(spec->mod, p->mod) &&
	       probe_glob(spec->func, p->func) && probe_glob(spec->name, p->name);
}

/* ---- the program ---- */

static enum ir_ctx cpc_ctx(const struct probe *p)
{
	(void)p;
	return IR_C_PERF;
}

static void cpc_early(struct ir_builder *b, const struct probe *p)
{
	if (cpc_of(p)->kind != EVENT_CLOCK)
		perf_emit_count(b, p, FIRED_RUNS);
}

static void cpc_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip)
{
	(void)alt, (void)skip;
	perf_emit_count(b, p, FIRED_SELF);
}

static ir_reg cpc_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	(void)p, (void)alt;
	return n < 2 ? perf_emit_pc(b, n == 0) : 0;
}

/* ---- attaching ---- */

static void pass_change(void *arg, const struct perf_change *n)
{
	struct cpc *c = arg;

	c->env->changed(c->env, n);
}

static void cpc_detach(struct probe *p)
{
	perf_set_close(&cpc_of(p)->events);
	cpc_of(p)->env = NULL;
}

static int cpc_attach(struct probe *p, struct attach_env *env)
{
	struct cpc *c = cpc_of(p);
	int err;

	c->env = env;
	c->events.changed = env->changed ? pass_change : NULL;
	c->events.changed_arg = c;
	err = perf_set_open(&c->events, &c->attr, &(struct perf_run){ env->prog_fd, env->cpus, env->ncpus },
			    env->reason, sizeof env->reason);
	if (err)
		cpc_detach(p);
	return err;
}

/* A pinned event that found no counter is in an error state, in which it reads as the end of a file. */
static int cpc_start(struct probe *p)
{
	struct cpc *c = cpc_of(p);
	int err = perf_set_enable(&c->events);
	uint64_t count[2];

	for (unsigned i = 0; i < c->events.n && !err && c->attr.pinned; i++) {
		if (c->events.v[i].fd < 0 || read(c->events.v[i].fd, count, sizeof count) != 0)
			continue;
		snprintf(c->env->reason, sizeof c->env->reason,
			 "no free counter on CPU %u: other programs, the kernel's NMI watchdog (kernel.nmi_watchdog) "
			 "or other cpc probes use them", i);
		err = -EBUSY;
	}
	return err;
}

static void cpc_refresh(struct probe *p, const int *cpus, unsigned ncpus)
{
	if (cpc_of(p)->env)
		perf_set_refresh(&cpc_of(p)->events, cpus, ncpus);
}

/* Timers fire as those of profile-N. In one mode only, the kernel skips firings without counting them. */
static bool cpc_due(struct probe *p, uint64_t end, struct probe_due *out)
{
	const struct cpc *c = cpc_of(p);
	bool clock = c->kind == EVENT_CLOCK;

	(void)end;
	*out = (struct probe_due){
		.each_cpu = true, .interval = clock ? c->count : 0, .period = clock ? 0 : c->count,
	};
	return c->env && !(clock && (c->attr.exclude_user || c->attr.exclude_kernel));
}

/* The rootless engine has no such probes. */
static bool cpc_interval(struct probe *p, struct attach_env *env, struct probe_due *out)
{
	(void)p, (void)env, (void)out;
	return false;
}

static const struct provider_clock clock = {
	.start = cpc_start, .refresh = cpc_refresh, .due = cpc_due, .interval = cpc_interval,
};

const struct provider provider_cpc = {
	.name = "cpc",
	.attr = &attr,
	.clock = &clock,
	.enumerate = cpc_enumerate,
	.late = cpc_late,
	.provide = cpc_provide,
	.ctx = cpc_ctx,
	.prologue = cpc_prologue,
	.arg = cpc_arg,
	.attach = cpc_attach,
	.detach = cpc_detach,
	.matching = &(const struct provider_matching){ .patterns = cpc_patterns, .matches = cpc_matches },
	.firing = &(const struct provider_firing){ .early = cpc_early },
};
