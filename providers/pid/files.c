/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes of all processes, also of those that start later. A probe is a function of the files with one path: each mount
 * name space may have its own.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "providers/pid/pid.h"
#include "providers/registry.h"

enum { REASON = 128 };
#define SECOND 1000000000ull	/* within it, the consumer prints all records of a probe that fires no longer */

bool pid_everywhere(const struct probe_set *s, const struct probe_spec *spec)
{
	return s->programs && s->target <= 0 && !strncmp(spec->prov, provider_pid.name, strlen(provider_pid.name)) &&
	       files_means_all(spec->prov, provider_pid.name);
}

/* ---- probes ---- */
static bool has_names(const struct pid_find *f, const struct probe *p, const struct probe_names *n)
{
	const struct pid_probe *d = pid_probe_of(p);

	return !d->code.pid && d->code.module && !strcmp(p->name, n->name) && !strcmp(p->func, n->func) &&
	       !strcmp(d->code.module->path, f->module->path);
}

/* Before the program runs. */
static struct probe *first_probe(struct pid_find *f, struct code_gate *g, const struct probe_names *names)
{
	const char *key = arena_printf(f->arena, "%s:%s:%s", f->module->path, names->func, names->name);
	void **slot = map_put(&f->state->of_files, key, strlen(key));
	struct pid_probe *d;
	struct probe *p;

	if (*slot)
		return *slot;
	d = arena_alloc(f->set->arena, sizeof *d);
	*d = (struct pid_probe){ .code.module = f->module, .function = f->function };
	d->plain = f->plain ? arena_strdup(f->set->arena, f->plain) : NULL;
	*slot = p = probe_add_spare(f->set, &provider_pid, d);
	probe_fill(f->set, p, names);
	code_join(g, p, 0);
	return p;
}

/* One of the spare probes without names: unused, or so long out of use that all of its records are printed. */
static struct probe *spare_probe(struct code_gate *g)
{
	uint64_t now = clock_now();

	if (g->filled < g->gate.nspare)
		return g->gate.spare[g->filled++];
	for (uint32_t i = 0; i < g->gate.nspare; i++) {
		const struct pid_probe *d = pid_probe_of(g->gate.spare[i]);

		if (d->freed && now - d->freed > SECOND)
			return g->gate.spare[i];
	}
	return NULL;
}

static struct probe *later_probe(struct pid_find *f, struct code_gate *g, const struct probe_names *names)
{
	struct pid_probe *d;
	struct probe *p;

	for (size_t i = 0; i < g->probes.n; i++) {
		p = g->probes.v[i];
		if (!has_names(f, p, names))
			continue;
		pid_probe_of(p)->freed = 0;
		return p;
	}
	p = g->env ? spare_probe(g) : NULL;
	if (!p) {
		f->state->files.lost += g->env != NULL;
		return NULL;
	}
	d = pid_probe_of(p);
	file_names_set(&d->named, f->set->arena, p, f->module, names);
	d->code.module = &d->named.module;
	d->code.pid = 0;
	d->freed = 0;
	d->disarmed = false;
	d->function = f->function;
	d->plain = f->plain;
	code_set_process(g, p);
	f->follow->filled(f->follow->arg, p);
	d->function = NULL;
	d->plain = NULL;
	return p;
}

struct probe *pid_file_probe(struct pid_find *f, enum pid_kind kind, const struct probe_names *names)
{
	struct code_gate *g = &f->state->gates[kind];

	return f->follow ? later_probe(f, g, names) : first_probe(f, g, names);
}

void pid_file_sites(struct pid_find *f, const struct probe *p, const struct code_probe *at)
{
	struct pid_probe *d = pid_probe_of(p);
	enum file_group group = d->code.gate->kind == PID_ENTRY ? GROUP_ENTRY :
				at->after ? GROUP_AFTER : GROUP_RETURN;

	for (size_t i = 0; i < at->nsites && !d->disarmed; i++) {
		const struct code_site *x = &at->site[i];

		if (file_has_site(f->file, group, x->off, d->code.number))
			continue;
		d->uses++;
		file_add_site(&f->state->files, f->file, group, &(struct uprobe_site){
			.off = x->off, .cookie = code_cookie(&d->code, x),
		});
	}
}

/* ---- attaching ---- */
static void ignore_refused(void *arg, size_t site, int err)
{
	(void)arg, (void)site, (void)err;
}

static int group_attach(struct pid_state *st, struct traced_file *f, enum file_group group, char *reason, size_t n)
{
	const struct attach_env *env = st->gates[pid_group_kind(group)].env;	/* NULL: no clause needs the gate */
	const struct uprobe_want w = {
		.prog_fd = env ? env->prog_fd : -1, .file = f->fd, .returns = group == GROUP_AFTER,
		.site = f->sites[group].v, .n = f->sites[group].n, .refused = ignore_refused,
	};

	return w.n ? uprobes_open(&f->uprobes, &w, reason, n) : 0;
}

int pid_file_attach(struct pid_state *st, struct traced_file *f, char *reason, size_t n)
{
	int r = 0;

	for (unsigned group = NGROUPS; group-- > 0 && !r;)	/* entries last: fires_first */
		r = group_attach(st, f, group, reason, n);
	return r < 0 ? r : 0;
}

int pid_files_attach(struct code_gate *g, struct attach_env *env)
{
	struct pid_state *st = pid_state_of(g->state->set);
	int r = 0;

	for (size_t i = 0; i < st->files.list.n; i++)
		for (unsigned group = 0; group < NGROUPS && !r; group++)
			if (pid_group_kind(group) == g->kind)
				r = group_attach(st, st->files.list.v[i], group, env->reason, sizeof env->reason);
	return r;
}

/* ---- files that come and go ---- */
static void release_file(struct traced_files *s, const struct traced_file *f)
{
	struct pid_state *st = pid_state_of(s->set);

	for (unsigned group = 0; group < NGROUPS; group++)
		for (size_t i = 0; i < f->sites[group].n; i++) {
			uint32_t number = (uint32_t)f->sites[group].v[i].cookie;
			struct pid_probe *d = pid_probe_of(st->gates[pid_group_kind(group)].probes.v[number]);

			if (!--d->uses)
				d->freed = clock_now();
		}
}

static bool is_crowded(const struct traced_files *s)
{
	const struct pid_state *st = pid_state_of(s->set);

	for (unsigned i = 0; i < PID_NKINDS; i++) {
		const struct code_gate *g = &st->gates[i];
		uint32_t named = 0;

		for (uint32_t k = 0; k < g->filled; k++)
			named += !pid_probe_of(g->gate.spare[k])->freed;
		if (g->gate.nspare && named >= g->gate.nspare / 4 * 3)
			return true;
	}
	return files_later(s) >= FILES_CROWD;
}

void pid_files_init(struct pid_state *st)
{
	map_init(&st->of_files, st->code.set->arena);
	st->files = (struct traced_files){ .set = st->code.set, .release = release_file, .crowded = is_crowded };
}

/* Returns false if the file has no such functions, or they cannot be probed. */
static bool attach_new_file(struct pid_state *st, struct traced_file *f, struct probe_follow *w)
{
	char reason[REASON];

	if (!file_sites(f))
		return false;
	if (!pid_file_attach(st, f, reason, sizeof reason)) {
		file_keep(f);
		return true;
	}
	snprintf(w->warning, sizeof w->warning, "failed to enable probes in a file of process %lld: %s",
		 (long long)w->region->pid, reason);
	links_close(&f->uprobes);
	return false;
}

/* Looks in a new file for the functions of all descriptions, and attaches them. */
static bool examine_file(struct file_visit *v)
{
	struct probe_set *set = v->follow->set;
	struct pid_state *st = pid_state_of(set);
	char reason[PID_REASON];
	struct pid_find x = {
		.set = set, .state = st, .follow = v->follow, .provname = PID_OF_ALL, .file = v->file,
		.to = { set, reason, sizeof reason }, .arena = v->arena, .code = v->code,
	};

	for (size_t i = 0; i < st->code.specs.list.n; i++) {
		x.spec = &st->code.specs.list.v[i];
		if (pid_everywhere(set, x.spec) && module_matches(x.spec, v->module))
			pid_find_module(&x, v->module);
	}
	return attach_new_file(st, v->file, v->follow);
}

static bool has_gate(const struct pid_state *st)
{
	for (unsigned i = 0; i < PID_NKINDS; i++)
		if (st->gates[i].env && st->code.of_all)
			return true;
	return false;
}

void pid_mapped(struct probe_follow *w)
{
	struct pid_state *st = pid_state_of(w->set);

	if (has_gate(st))
		files_follow(&st->files, w, examine_file);
}
