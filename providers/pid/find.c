/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Descriptions -> probes: finds the functions and their instructions. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "providers/pid/pid.h"
#include "providers/registry.h"

enum { REASON = 200 };

/* One description while its probes are being created. */
struct pid_find {
	struct probe_set *set;
	struct pid_state *state;
	const struct probe_spec *spec;
	const char *provname;
	int64_t pid;
	const struct program_module *module;
	const struct program_function *function;
	const char *plain;
	size_t found;
	struct probe_follow *follow;	/* the program runs; NULL: it is being compiled */
	char *reason;
	size_t room;
	/* the instructions of the function, if they were needed */
	VEC(struct program_step) steps;
};

/* Refuses the description with a message of its own. Returns -1. */
__attribute__((format(printf, 3, 4)))
static int refuse(struct pid_find *f, enum diag_tag tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->reason, f->room, fmt, ap);
	va_end(ap);
	f->set->refused = tag;
	return -1;
}

/* ---- probes ---- */
/* While the program runs: a probe for the first time, or one that another file had before. */
static struct probe *create_fresh(struct pid_find *f, struct pid_gate *g, const char *name)
{
	struct probe *p = probe_named(f->set, f->provname, f->module->name, f->function->name, name);
	struct pid_probe *d;

	if (!g->env || (p && pid_probe_of(p)->module->file == f->module->file))
		return NULL;
	if (!p && g->filled == g->gate.nspare) {
		f->state->lost++;
		return NULL;
	}
	if (!p) {
		p = g->gate.spare[g->filled++];
		probe_fill(f->set, p, f->provname, f->module->name, f->function->name, name);
	}
	d = pid_probe_of(p);
	d->pid = f->pid;
	d->module = f->module;
	d->function = f->function;
	d->plain = f->plain ? arena_strdup(f->set->arena, f->plain) : NULL;
	pid_set_process(g, p);
	*VEC_ADD(f->set->arena, &g->fresh) = p;
	f->follow->filled(f->follow->arg, p);
	return p;
}

static struct probe *create(struct pid_find *f, enum pid_kind kind, const char *name)
{
	struct pid_gate *g = &f->state->gates[kind];
	struct pid_probe *d;
	struct probe *p;

	f->found++;
	if (f->follow)
		return create_fresh(f, g, name);
	d = arena_alloc(f->set->arena, sizeof *d);
	p = probe_add_as(f->set, &provider_pid, f->provname, f->module->name, f->function->name, name, d);
	if (p->data != d)
		return NULL;	/* it exists */
	*d = (struct pid_probe){
		.gate = g, .number = (uint32_t)g->probes.n, .pid = f->pid, .module = f->module,
		.function = f->function,
		.plain = f->plain ? arena_strdup(f->set->arena, f->plain) : NULL,
	};
	*VEC_ADD(f->set->arena, &g->probes) = p;
	g->gate.numbers = (uint32_t)g->probes.n;
	return p;
}

/* A pattern matches an instruction that the kernel cannot probe. */
static void leave_out(struct pid_find *f, const char *name, const char *why)
{
	if (!f->state->unprobed++)
		f->state->first = arena_printf(f->set->arena, "%s:%s:%s: %s", f->module->name, f->function->name,
					       name, why);
}

static bool is_pattern(const char *s)
{
	return !*s || probe_is_glob(s);
}

static void create_at(struct pid_find *f, const char *name, uint64_t at, bool step)
{
	struct probe *p = create(f, PID_ENTRY, name);

	if (!p)
		return;
	pid_probe_of(p)->step = step;
	pid_probe_of(p)->nsites = 1;
	pid_probe_of(p)->site = arena_alloc(f->set->arena, sizeof(struct pid_site));
	pid_probe_of(p)->site[0] = (struct pid_site){ f->function->off + at, at };
}

/* ---- instructions ---- */
static void take_step(void *arg, const struct program_step *step)
{
	struct pid_find *f = arg;

	*VEC_ADD(f->set->arena, &f->steps) = *step;
}

static int read_steps(struct pid_find *f, char reason[REASON])
{
	if (f->steps.n)
		return 0;
	return f->set->programs->steps(f->set->code, f->module, f->function, take_step, f, reason, REASON);
}

/* The instructions at which the function returns. Returns false if not all of them can be found and probed. */
static bool find_returns(struct pid_find *f, struct pid_probe *d)
{
	char reason[REASON];

	if (read_steps(f, reason) < 0)
		return false;
	d->site = arena_calloc(f->set->arena, f->steps.n + 1, sizeof *d->site);
	for (size_t i = 0; i < f->steps.n; i++) {
		const struct program_step *s = &f->steps.v[i];

		if (s->leaves == LEAVES_NOT)
			continue;
		if (s->leaves == LEAVES_UNKNOWN || !s->probed)
			return false;
		d->site[d->nsites++] = (struct pid_site){ f->function->off + s->off, s->off };
	}
	return true;
}

/* A function that never returns has no such probe. If not all its returns are known, the kernel replaces the return
 * address when the function begins, unless its first instruction cannot be probed (`why`). */
static void create_return(struct pid_find *f, const char *why)
{
	struct pid_probe sites = { 0 };
	struct probe *p;
	bool all = find_returns(f, &sites);

	if (!all && why)
		leave_out(f, "return", why);
	if (all ? !sites.nsites : why != NULL)
		return;
	p = create(f, PID_RETURN, "return");
	if (!p)
		return;
	if (!all) {
		sites.site = arena_alloc(f->set->arena, sizeof *sites.site);
		sites.site[0] = (struct pid_site){ f->function->off, 0 };
		sites.nsites = 1;
	}
	pid_probe_of(p)->after = !all;
	pid_probe_of(p)->site = sites.site;
	pid_probe_of(p)->nsites = sites.nsites;
}

static void step_name(char name[24], const struct program_step *s)
{
	snprintf(name, 24, "%" PRIx64, s->off);
}


/* A pattern of offsets. If the instructions are not known, it matches none. */
static void create_steps(struct pid_find *f)
{
	char name[24], reason[REASON];

	if (read_steps(f, reason) < 0)
		return;
	for (size_t i = 0; i < f->steps.n; i++) {
		const struct program_step *s = &f->steps.v[i];

		step_name(name, s);
		if (!probe_glob(f->spec->name, name))
			continue;
		if (s->probed)
			create_at(f, name, s->off, true);
		else
			leave_out(f, name, s->why);
	}
}

/* One instruction, by its offset. */
static int create_offset(struct pid_find *f)
{
	const char *func = f->function->name;
	char reason[REASON], name[24], *end;
	unsigned long long at;

	errno = 0;
	at = strtoull(f->spec->name, &end, 16);
	if (*end || errno || end == f->spec->name)
		return refuse(f, D_PROC_NAME, "'%s' is an invalid probe name", f->spec->name);
	if (at >= f->function->size)
		return refuse(f, D_PROC_OFF, "offset 0x%llx outside of function '%s'", at, func);
	if (read_steps(f, reason) < 0)
		return refuse(f, D_PROC_CREATEFAIL, "failed to create probe at '%s+0x%llx': %s", func, at, reason);
	for (size_t i = 0; i < f->steps.n; i++) {
		if (f->steps.v[i].off != at)
			continue;
		if (!f->steps.v[i].probed)
			return refuse(f, D_PROC_CREATEFAIL, "failed to create probe at '%s+0x%llx': %s", func, at,
				      f->steps.v[i].why);
		step_name(name, &f->steps.v[i]);
		create_at(f, name, at, true);
		return 0;
	}
	return refuse(f, D_PROC_CREATEFAIL, "failed to create probe at '%s+0x%llx': no instruction begins there", func,
		      at);
}

/* ---- functions ---- */
static int per_function(struct pid_find *f, const struct program_function *function, const char *plain)
{
	const char *name = f->spec->name;
	bool entry = probe_glob(name, "entry"), returns = probe_glob(name, "return");
	bool pattern = is_pattern(name);
	const char *why = NULL;

	f->function = function;
	f->plain = plain;
	f->steps.n = 0;
	if (entry || returns)
		why = f->set->programs->refuses(f->set->code, f->module, function);
	if (entry && why && !pattern && !is_pattern(f->spec->func))
		return refuse(f, D_PROC_CREATEFAIL, "failed to create entry probe for '%s': %s", function->name, why);
	if (entry && why)
		leave_out(f, "entry", why);
	else if (entry)
		create_at(f, "entry", 0, false);
	if (returns)
		create_return(f, why);
	if (pattern)
		create_steps(f);
	return !entry && !returns && !pattern ? create_offset(f) : 0;
}

/* ---- functions that are chosen at run time (IFUNC) ---- */

/* What a description of the resolver's name means. */
struct choosing_probe {
	struct pid_find *find;
	struct pid_probe sites;		/* of the probe */
	enum pid_kind kind;
	size_t n;			/* functions */
	bool failed;			/* the returns of one of them are not known */
};

static void add_site(struct pid_find *f, struct pid_probe *d, struct pid_site site)
{
	struct pid_site *v = arena_calloc(f->set->arena, d->nsites + 1, sizeof *v);

	for (size_t i = 0; i < d->nsites; i++) {
		if (d->site[i].off == site.off)
			return;
		v[i] = d->site[i];
	}
	v[d->nsites++] = site;
	d->site = v;
}

static void add_choice(void *arg, const struct program_function *choice)
{
	struct choosing_probe *c = arg;
	struct pid_find *f = c->find;
	struct pid_probe d = { 0 };

	c->n++;
	if (c->kind == PID_ENTRY) {
		const char *why = f->set->programs->refuses(f->set->code, f->module, choice);

		if (why)
			leave_out(f, *choice->name ? choice->name : "entry", why);
		else
			add_site(f, &c->sites, (struct pid_site){ choice->off, 0 });
		return;
	}
	f->function = choice;
	f->steps.n = 0;
	if (!choice->size || !find_returns(f, &d))
		c->failed = true;
	for (size_t i = 0; i < d.nsites; i++)
		add_site(f, &c->sites, d.site[i]);
}

static int create_chosen(struct pid_find *f, const struct program_function *resolver, enum pid_kind kind)
{
	struct choosing_probe c = { .find = f, .kind = kind };
	const char *name = kind == PID_ENTRY ? "entry" : "return";
	char reason[REASON] = "its functions are not known";
	struct probe *p;
	int r = f->set->programs->choices(f->set->code, f->module, resolver, add_choice, &c, reason, sizeof reason);

	f->function = resolver;
	if (c.failed)
		snprintf(reason, sizeof reason, "not all returns of its functions are known");
	if (r < 0 || !c.sites.nsites || c.failed)
		return refuse(f, D_PROC_CREATEFAIL, "failed to create %s probe for '%s': %s", name, resolver->name,
			      reason);
	p = create(f, kind, name);
	if (p) {
		pid_probe_of(p)->site = c.sites.site;
		pid_probe_of(p)->nsites = c.sites.nsites;
	}
	return 0;
}

/* The function that an IFUNC stands for is one of those that its resolver can choose. Only the one that it has chosen
 * is executed, so all of them have the probe. */
static int per_resolver(struct pid_find *f, const struct program_function *resolver)
{
	const char *name = f->spec->name;
	int r = 0;

	if (probe_glob(name, "entry"))
		r = create_chosen(f, resolver, PID_ENTRY);
	if (!r && probe_glob(name, "return"))
		r = create_chosen(f, resolver, PID_RETURN);
	if (is_pattern(name) || probe_glob(name, "entry") || probe_glob(name, "return"))
		return r;
	return refuse(f, D_PROC_CREATEFAIL, "failed to create probe '%s' in '%s': it is chosen at run time", name,
		      resolver->name);
}

/* The function's name in its language, if that is another one. */
static const char *plain_name(struct pid_find *f, const char *name)
{
	const char *plain;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return NULL;
	plain = f->set->programs->plain(f->set->code, name);
	return plain == name || !strcmp(plain, name) ? NULL : plain;
}

static int per_module(struct pid_find *f, const struct program_module *m)
{
	const struct program_function *v;
	const char *func = f->spec->func;
	bool found = false;
	size_t n;

	f->module = m;
	if (f->set->programs->functions(f->set->code, m, &v, &n) < 0)
		return refuse(f, D_PROC_GRAB, "failed to read the functions of %s: out of memory", m->path);
	for (size_t i = 0; i < n; i++) {
		const char *plain = plain_name(f, v[i].name);

		if (!pid_function_matches(func, &v[i], plain))
			continue;
		found = true;
		if ((v[i].resolver ? per_resolver(f, &v[i]) : per_function(f, &v[i], plain)) < 0)
			return -1;
	}
	if (!found && *func && !probe_is_glob(func) && *f->spec->mod && !probe_is_glob(f->spec->mod))
		return refuse(f, D_PROC_FUNC, "failed to lookup '%s' in module '%s'", func, f->spec->mod);
	return 0;
}

/* ---- addresses: the function "-" ---- */
static const struct program_module *find_program(const struct program_module *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (m[i].program)
			return &m[i];
	return NULL;
}

static int per_address(struct pid_find *f, const struct program_module *m)
{
	static const struct program_function nowhere = { .name = "-" };
	unsigned long long at;
	char name[24], *end;

	if (!m || !pid_module_matches(f->spec->mod, m) || (*f->spec->mod && probe_is_glob(f->spec->mod)))
		return refuse(f, D_PROC_LIB, "only the a.out module is valid with the '-' function");
	if (is_pattern(f->spec->name))
		return refuse(f, D_PROC_NAME, "only individual addresses may be specified with the '-' function");
	errno = 0;
	at = strtoull(f->spec->name, &end, 16);
	if (*end || errno || end == f->spec->name)
		return refuse(f, D_PROC_NAME, "'%s' is an invalid probe name", f->spec->name);
	if (at < m->start || at >= m->end)
		return refuse(f, D_PROC_OFF, "address 0x%llx is outside of the code of a.out", at);
	f->module = m;
	f->function = &nowhere;
	f->plain = NULL;
	snprintf(name, sizeof name, "%llx", at);
	create_at(f, name, at - m->start + m->off, true);
	return 1;
}

/* ---- processes ---- */
/* While the program runs, only files that were not seen before are new. */
static bool is_seen(struct pid_find *f, const struct program_module *m)
{
	for (size_t i = 0; i < f->state->files.n; i++)
		if (f->state->files.v[i].pid == f->pid && f->state->files.v[i].file == m->file)
			return true;
	return false;
}

static void see_files(struct pid_find *f, const struct program_module *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_seen(f, &m[i]))
			continue;
		VEC_ADD(f->set->arena, &f->state->files)->pid = f->pid;
		f->state->files.v[f->state->files.n - 1].file = m[i].file;
	}
}

static int per_process(struct pid_find *f)
{
	const struct program_module *m;
	char reason[REASON];
	bool found = false;
	size_t n;

	if (!f->set->programs)
		return refuse(f, D_PROC_GRAB, "failed to grab process %" PRId64 ": not available here", f->pid);
	if (f->set->programs->modules(f->set->code, f->pid, &m, &n, reason, sizeof reason) < 0)
		return refuse(f, D_PROC_GRAB, "failed to grab process %" PRId64 ": %s", f->pid, reason);
	see_files(f, m, n);
	if (!strcmp(f->spec->func, "-"))
		return per_address(f, find_program(m, n));
	for (size_t i = 0; i < n; i++) {
		if (!pid_module_matches(f->spec->mod, &m[i]))
			continue;
		found = true;
		if (per_module(f, &m[i]) < 0)
			return -1;
	}
	if (found && !f->found && f->state->unprobed)
		snprintf(f->reason, f->room, "%s", f->state->first);
	if (!found)
		snprintf(f->reason, f->room, "process %" PRId64 " has no module '%s'", f->pid, f->spec->mod);
	return f->found > 0;
}

static bool same_spec(const struct probe_spec *a, const struct probe_spec *b)
{
	return !strcmp(a->prov, b->prov) && !strcmp(a->mod, b->mod) && !strcmp(a->func, b->func) &&
	       !strcmp(a->name, b->name);
}

static void keep_spec(struct pid_find *f)
{
	for (size_t i = 0; i < f->state->specs.n; i++)
		if (same_spec(&f->state->specs.v[i], f->spec))
			return;
	*VEC_ADD(f->set->arena, &f->state->specs) = *f->spec;
}

int pid_provide(struct probe_set *s, const struct probe_spec *spec, char *reason, size_t n)
{
	struct pid_find f = {
		.set = s, .state = pid_state_of(s), .spec = spec, .pid = probe_process(spec, &provider_pid),
		.reason = reason, .room = n,
	};

	if (f.pid <= 0)
		return refuse(&f, D_PROC_BADPID, "'%s' does not contain a valid pid", spec->prov);
	f.provname = arena_printf(s->arena, "pid%" PRId64, f.pid);
	keep_spec(&f);
	return per_process(&f);
}

/* ---- while the program runs ---- */
enum { SPARE_FEW = 64, SPARE_MANY = 2048 };

static struct probe *add_spare(struct probe_set *s, struct pid_gate *g, int64_t pid)
{
	struct pid_probe *d = arena_alloc(s->arena, sizeof *d);
	struct probe *p = probe_add_spare(s, &provider_pid, d);

	*d = (struct pid_probe){ .gate = g, .number = (uint32_t)g->probes.n, .pid = pid };
	*VEC_ADD(s->arena, &g->probes) = p;
	g->gate.numbers = (uint32_t)g->probes.n;
	return p;
}

void pid_reserve(struct probe_set *s, const struct probe *p)
{
	struct pid_gate *g = pid_probe_of(p)->gate;
	uint32_t n = SPARE_FEW;

	for (size_t i = 0; i < g->state->specs.n; i++)
		if (is_pattern(g->state->specs.v[i].func) || is_pattern(g->state->specs.v[i].name))
			n = SPARE_MANY;
	if (g->gate.spare)
		return;
	g->gate.spare = arena_calloc(s->arena, n, sizeof(*g->gate.spare));
	for (uint32_t i = 0; i < n; i++)
		g->gate.spare[i] = add_spare(s, g, pid_probe_of(p)->pid);
	g->gate.nspare = n;
}

unsigned pid_anchors(struct probe_set *s, const struct probe_spec *spec, struct probe **out)
{
	struct pid_state *st = pid_state_of(s);
	bool may[PID_NKINDS] = {
		[PID_ENTRY] = strcmp(spec->name, "return") != 0, [PID_RETURN] = probe_glob(spec->name, "return"),
	};
	unsigned n = 0;

	for (unsigned i = 0; i < PID_NKINDS; i++) {
		struct pid_gate *g = &st->gates[i];

		if (!may[i])
			continue;
		if (!g->anchor)
			g->anchor = add_spare(s, g, probe_process(spec, &provider_pid));
		out[n++] = g->anchor;
	}
	return n;
}

static void follow_spec(struct pid_find *f, const struct program_module *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_seen(f, &m[i]) && pid_module_matches(f->spec->mod, &m[i]))
			per_module(f, &m[i]);
}

void pid_follow(struct probe_follow *w)
{
	char reason[REASON];
	struct pid_find f = {
		.set = w->set, .state = pid_state_of(w->set), .pid = w->named, .follow = w, .reason = reason,
		.room = sizeof reason, .provname = arena_printf(w->set->arena, "pid%" PRId64, w->named),
	};
	const struct program_module *m;
	size_t n;

	if (w->set->programs->modules(w->set->code, w->pid, &m, &n, reason, sizeof reason) < 0)
		return;		/* it has ended */
	for (size_t i = 0; i < f.state->specs.n; i++) {
		f.spec = &f.state->specs.v[i];
		if (probe_process(f.spec, &provider_pid) == f.pid && strcmp(f.spec->func, "-"))
			follow_spec(&f, m, n);
	}
	see_files(&f, m, n);
	for (unsigned i = 0; i < PID_NKINDS; i++) {
		struct pid_gate *g = &f.state->gates[i];

		if (g->fresh.n && pid_attach_fresh(g) < 0)
			snprintf(w->warning, sizeof w->warning, "failed to enable probes in process %" PRId64 ": %s",
				 w->pid, g->env->reason);
	}
	if (f.state->lost)
		snprintf(w->warning, sizeof w->warning,
			 "process %" PRId64 " has loaded more files: %zu of their probes are not traced", w->pid,
			 f.state->lost);
	f.state->lost = 0;
}

/* The name of an offset: the same number in hexadecimal. */
static bool offset_matches(const char *typed, const char *name)
{
	char *end;
	unsigned long long at = strtoull(typed, &end, 16);

	return !*end && end != typed && at == strtoull(name, NULL, 16);
}

bool pid_matches(const struct probe *p, const struct probe_spec *spec)
{
	const struct pid_probe *d = pid_probe_of(p);

	if (!d->function || !probe_glob(spec->prov, p->provname) || !pid_module_matches(spec->mod, d->module) ||
	    !pid_function_matches(spec->func, d->function, d->plain))
		return false;
	return probe_glob(spec->name, p->name) || (d->step && offset_matches(spec->name, p->name));
}
