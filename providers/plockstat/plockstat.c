/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Locks of pthreads: plockstat123:::mutex-acquire. */
#include "providers/plockstat/plockstat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "providers/family.h"
#include "providers/links.h"
#include "providers/modules.h"
#include "providers/rawtp.h"
#include "providers/registry.h"
#include "providers/uprobe.h"

/* The first instructions of a site's functions. */
struct plock_code {
	VEC(struct uprobe_site) at;
	int tracepoint;			/* instead: the descriptor, or -1 */
};

struct plock_probe {
	const struct plock_row *row;
	struct probe_set *set;
	struct links *uprobes;		/* of all probes, which are detached together */
	int64_t pid;
	const struct program_module *module;
	struct plock_code code[PLOCK_SITES];
};

/* A description while its probes are created. */
struct plock_find {
	struct probe_set *set;
	const struct probe_spec *spec;
	int64_t pid;
	const struct program_module *module;
	const struct program_function *functions;
	size_t n;
	struct probe_answer to;
};

static struct plock_probe *plock_of(const struct probe *p)
{
	return p->data;
}

/* ---- creating ---- */
/* Adds the functions of a site, each once: it may have several names. */
static void add_code(struct plock_find *f, const char *kind, struct plock_code *c)
{
	const struct plock_place *place = plock_place_of(kind);

	c->tracepoint = -1;
	for (const char *const *name = place ? place->functions : NULL; name && *name; name++) {
		uint64_t last = UINT64_MAX;

		for (size_t i = 0; i < f->n; i++) {
			const struct program_function *x = &f->functions[i];

			if (strcmp(x->name, *name) || x->off == last)
				continue;
			last = x->off;
			*VEC_ADD(f->set->arena, &c->at) = (struct uprobe_site){ .off = x->off };
		}
	}
}

static struct links *links_of(struct probe_set *s)
{
	void **slot = probe_state_of(s, &provider_plockstat);

	if (!*slot)
		*slot = arena_calloc(s->arena, 1, sizeof(struct links));
	return *slot;
}

static void create_probe(struct plock_find *f, const struct plock_row *row)
{
	const struct probe_names names = {
		arena_printf(f->set->arena, "plockstat%" PRId64, f->pid), f->module->name, "", row->name,
	};
	struct plock_probe *d;

	if (probe_named(f->set, &names))
		return;
	d = arena_calloc(f->set->arena, 1, sizeof *d);
	*d = (struct plock_probe){
		.row = row, .set = f->set, .uprobes = links_of(f->set), .pid = f->pid, .module = f->module,
	};
	for (unsigned i = 0; i < PLOCK_SITES && row->site[i].at; i++)
		add_code(f, row->site[i].at, &d->code[i]);
	probe_add(f->set, &provider_plockstat, &names, d);
}

static bool has_function(const struct plock_find *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->functions[i].name, name))
			return true;
	return false;
}

/* glibc itself, before 2.34 its library for threads; or a static program with it. Other files may define functions of
 * the same names that call glibc's (sanitizers). */
static bool is_glibc(struct plock_find *f, const struct program_module *m)
{
	bool library = !strcmp(m->name, "libc.so.6") || !strncmp(m->name, "libpthread", strlen("libpthread"));

	f->module = m;
	if ((!library && !m->program) ||
	    f->set->programs->functions(f->set->code, m, &f->functions, &f->n) < 0)
		return false;
	return has_function(f, "pthread_mutex_lock") && (library || has_function(f, "__lll_lock_wait"));
}

static int find_glibc(struct plock_find *f)
{
	const struct program_module *m;
	char reason[200];
	size_t n;

	if (!f->set->programs)
		return probe_refuse(&f->to, D_PROC_GRAB, "failed to grab process %" PRId64 ": not available here",
				    f->pid);
	if (f->set->programs->modules(f->set->code, f->pid, &m, &n, reason, sizeof reason) < 0)
		return probe_refuse(&f->to, D_PROC_GRAB, "failed to grab process %" PRId64 ": %s", f->pid, reason);
	for (size_t i = 0; i < n; i++)
		if (is_glibc(f, &m[i]))
			return 0;
	snprintf(f->to.reason, f->to.room, "process %" PRId64 " has no functions of glibc for locks", f->pid);
	return -1;
}

static int plockstat_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec,
			     char *reason, size_t n)
{
	struct plock_find f = {
		.set = s, .spec = spec, .pid = probe_process(spec, self), .to = { s, reason, n },
	};

	if (f.pid <= 0)
		return probe_refuse(&f.to, D_PROC_BADPID, "'%s' does not contain a valid pid%s", spec->prov,
				    probe_process_hint(spec));
	if (find_glibc(&f) < 0)
		return -1;
	for (const struct plock_row *r = plock_rows; r->name; r++) {
		if (!r->never && probe_glob(spec->name, r->name))
			create_probe(&f, r);
		else if (r->never && !strcmp(spec->name, r->name))
			snprintf(reason, n, "%s", r->never);
	}
	return 1;
}

static bool plockstat_matches(const struct probe *p, const struct probe_spec *spec)
{
	return probe_glob(spec->prov, p->provname) && module_matches(spec, plock_of(p)->module) &&
	       !*spec->func && probe_glob(spec->name, p->name);
}

/* ---- sites and arguments ---- */
static const struct probe_site *plockstat_list(const struct probe *p, unsigned *n)
{
	for (*n = 0; *n < PLOCK_SITES && plock_of(p)->row->site[*n].at;)
		++*n;
	return plock_of(p)->row->site;
}

static unsigned plockstat_args(const struct probe *p, struct arg_desc *out, unsigned max)
{
	const struct plock_row *r = plock_of(p)->row;
	unsigned n = 0;

	for (; n < PLOCK_ARGS && n < max && r->arg[n].native; n++)
		out[n] = r->arg[n];
	return n;
}

static enum ir_ctx plockstat_ctx(const struct probe *p)
{
	(void)p;
	return IR_C_UPROBE;
}

static bool plockstat_first(const struct probe *p)
{
	return plock_of(p)->row->first;
}

static void plockstat_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip)
{
	const struct plock_probe *d = plock_of(p);

	(void)alt;
	family_check(b, d->set, ir_i(family_word(d->set, d->pid)), skip);
}

/* ---- attaching ---- */
static int plockstat_attach(struct probe *p, struct attach_env *env)
{
	struct plock_probe *d = plock_of(p);
	struct plock_code *c = &d->code[env->site];
	const char *at = d->row->site[env->site].at;
	const struct plock_place *place = plock_place_of(at);
	const struct uprobe_want w = {
		.prog_fd = env->prog_fd, .file = d->module->fd, .pid = family_link(d->set, d->pid),
		.returns = place && place->returns, .site = c->at.v, .n = c->at.n,
	};
	int r;

	if (!place) {
		r = rawtp_open(env->typed ? NULL : at, env->prog_fd, env->reason, sizeof env->reason);
		c->tracepoint = r >= 0 ? r : -1;
		return r < 0 ? r : 0;
	}
	return w.n ? uprobes_open(d->uprobes, &w, env->reason, sizeof env->reason) : 0;
}

static void plockstat_detach(struct probe *p)
{
	struct plock_probe *d = plock_of(p);

	links_close(d->uprobes);
	for (unsigned i = 0; i < PLOCK_SITES && d->row->site[i].at; i++) {
		if (d->code[i].tracepoint >= 0)
			close(d->code[i].tracepoint);
		d->code[i].tracepoint = -1;
	}
}

static const struct provider_attr attr = {
	.provider = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.args = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
};

static const struct provider_sites sites = { .list = plockstat_list, .prelude = true };

const struct provider provider_plockstat = {
	.name = "plockstat", .attr = &attr, .sites = &sites, .provide = plockstat_provide,
	.args = plockstat_args, .ctx = plockstat_ctx, .prologue = plockstat_prologue,
	.attach = plockstat_attach, .detach = plockstat_detach,
	.matching = &(const struct provider_matching){ .matches = plockstat_matches },
	.processes = &(const struct provider_processes){ .fires_first = plockstat_first },
};
