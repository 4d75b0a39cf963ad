/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Descriptions -> probes. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "providers/modules.h"
#include "providers/registry.h"
#include "providers/usdt/usdt.h"

enum { REASON = 128 };

/* ---- names ---- */
/* In C a name has "__" where the probe's name has '-'. */
static const char *shown_name(struct arena *a, const char *note)
{
	char *name = arena_strdup(a, note), *to = name;

	for (const char *p = name; *p; to++) {
		bool dash = p[0] == '_' && p[1] == '_';

		*to = dash ? '-' : *p;
		p += dash ? 2 : 1;
	}
	*to = '\0';
	return name;
}

static bool name_matches(const char *pattern, const char *note, const char *shown)
{
	return probe_glob(pattern, shown) || probe_glob(pattern, note);
}

static bool function_matches(const char *pattern, const char *name, const char *plain)
{
	return probe_glob(pattern, name) || (plain && probe_glob(pattern, plain));
}

/* "usdt123" means all providers of process 123. */
static bool provider_matches(const char *pattern, const char *provname, int64_t pid)
{
	char all[32];

	snprintf(all, sizeof all, "usdt%" PRId64, pid);
	return probe_glob(pattern, provname) || !strcmp(pattern, all);
}

/* The name of a provider of all processes ends with a star instead of a process ID. */
static bool is_meant(const struct probe_spec *spec, const struct probe *p, const struct usdt_probe *d)
{
	char name[256];

	if (d->pid)
		return provider_matches(spec->prov, p->provname, d->pid);
	snprintf(name, sizeof name, "%.*s", (int)strlen(p->provname) - 1, p->provname);
	return files_means_all(spec->prov, name);
}

bool usdt_matches(const struct probe *p, const struct probe_spec *spec)
{
	const struct usdt_probe *d = usdt_probe_of(p);

	return d->module && is_meant(spec, p, d) &&
	       module_matches(spec, d->module) &&
	       function_matches(spec->func, p->func, d->plain) && name_matches(spec->name, d->note, p->name);
}

/* ---- probes ---- */
/* The probe of a place, new or not; NULL: there is no room. */
static struct probe *create_probe(struct usdt_find *f, const struct usdt_place *x)
{
	struct usdt_state *st = f->state;
	struct usdt_probe *d;
	struct probe *p;

	if (f->follow) {
		p = usdt_fill(f, x);
		if (!p)
			return NULL;
	} else {
		d = arena_alloc(f->set->arena, sizeof *d);
		p = probe_add(f->set, &provider_usdt, &x->names, d);
		if (p->data == d) {
			*d = (struct usdt_probe){ .state = st, .number = (uint32_t)st->probes.n };
			*VEC_ADD(f->set->arena, &st->probes) = p;
			st->gate.numbers = (uint32_t)st->probes.n;
		}
	}
	d = usdt_probe_of(p);
	d->pid = f->pid;
	d->module = x->module;
	d->plain = x->plain;
	d->note = x->note->name;
	return p;
}

/* Another description may have found the place already. */
static void add_site(struct usdt_find *f, struct probe *p, const struct usdt_place *x)
{
	struct usdt_probe *d = usdt_probe_of(p);
	struct usdt_site site = { .off = x->note->off, .semaphore = x->note->semaphore };

	for (size_t i = 0; i < d->sites.n; i++)
		if (d->sites.v[i].off == site.off)
			return;
	site.row = usdt_row_of(f, x->module, x->note);
	if (site.row == UINT32_MAX) {
		f->state->lost++;
		return;
	}
	usdt_row_use(f->state, site.row, 1);
	*VEC_ADD(f->set->arena, &d->sites) = site;
	if (f->follow)
		usdt_filled(f, p);
}

/* A place in all processes. */
static void add_place_of_all(struct usdt_find *f, const struct usdt_place *x)
{
	struct usdt_find of_all = *f;
	struct probe *p;

	of_all.pid = 0;
	p = f->follow ? usdt_file_probe(f, x) : create_probe(&of_all, x);
	if (p)
		usdt_file_site(f, p, x);
}

/* The function's name without the suffix of a part that the compiler moved (f.cold). */
static const char *function_name(struct usdt_find *f, const struct program_function *x)
{
	const char *part = x && x->part ? strstr(x->name, ".cold") : NULL;

	return !x ? "" : part ? arena_strndup(f->arena, x->name, (size_t)(part - x->name)) : x->name;
}

/* The function's name in its language, if that is another one. */
static const char *plain_name(struct usdt_find *f, const char *name)
{
	const char *plain = f->set->programs->plain(f->code, name);

	return plain == name || !strcmp(plain, name) ? NULL : arena_strdup(f->arena, plain);
}

/* A note of a file: a place of a probe, if the description means it. */
static void take_note(struct usdt_find *f, const struct program_module *m, const struct program_note *note)
{
	bool all = usdt_everywhere(f->set, &f->spec) && files_means_all(f->spec.prov, note->provider);
	struct usdt_place x = { .module = m, .note = note };
	struct probe *p;

	x.names.prov = all ? arena_printf(f->arena, "%s*", note->provider) :
		       arena_printf(f->arena, "%s%" PRId64, note->provider, f->pid);
	if (all ? !f->file : !f->pid || !provider_matches(f->spec.prov, x.names.prov, f->pid))
		return;
	f->provider = true;
	x.names.name = shown_name(f->arena, note->name);
	if (!name_matches(f->spec.name, note->name, x.names.name))
		return;
	x.names.mod = path_base(m->path);
	x.names.func = function_name(f, f->set->programs->function_at(f->code, m, note->off));
	x.plain = plain_name(f, x.names.func);
	if (!function_matches(f->spec.func, x.names.func, x.plain))
		return;
	f->found++;
	if (all) {
		add_place_of_all(f, &x);
		return;
	}
	p = create_probe(f, &x);
	if (p)
		add_site(f, p, &x);
}

void usdt_find_file(struct usdt_find *f, const struct program_module *m)
{
	const struct program_note *v;
	size_t n;

	if (f->set->programs->notes(f->code, m, &v, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		take_note(f, m, &v[i]);
}

/* ---- processes ---- */
static void take_process(void *arg, int64_t pid)
{
	struct usdt_find *f = arg;
	const struct program_module *m;
	char reason[REASON];
	size_t n;

	f->pid = pid;
	if (f->set->programs->modules(f->set->code, pid, &m, &n, reason, sizeof reason) < 0) {
		if (!*f->refused)
			snprintf(f->refused, sizeof f->refused, "failed to grab process %" PRId64 ": %s", pid, reason);
		return;
	}
	if (!f->examined)
		f->examined = pid;
	for (size_t i = 0; i < n; i++) {
		f->file = usdt_everywhere(f->set, &f->spec) ? files_first(&f->state->files, &m[i]) : NULL;
		if (module_matches(&f->spec, &m[i]))
			usdt_find_file(f, &m[i]);
	}
	module_list_add(f->set->arena, &f->state->seen, pid, m, n);
}

/* The digits at the end of the name, as a process ID; 0: none. */
static int64_t process_of(const char *name)
{
	size_t n = strlen(name), at = n;
	long long pid;

	while (at > 1 && isdigit((unsigned char)name[at - 1]))
		at--;
	while (at < n && name[at] == '0')
		at++;
	pid = at < n && n - at <= 10 ? strtoll(name + at, NULL, 10) : 0;
	return pid <= INT32_MAX ? pid : 0;
}

/* The provider part "*" means the same as an empty one: no process is examined for it. */
bool usdt_claims(const struct probe_spec *spec)
{
	if (!*spec->prov || !strcmp(spec->prov, "*") || probe_names_provider(spec) ||
	    probe_foreign_provider(spec->prov))
		return false;
	return probe_is_glob(spec->prov) || process_of(spec->prov);
}

int64_t usdt_process(const struct probe_set *s, const struct probe_spec *spec)
{
	if (!usdt_claims(spec))
		return 0;
	for (size_t i = 0; i < s->ntargets; i++)	/* probe_prov_of_target */
		if (s->targets[i] == process_of(spec->prov))
			return s->targets[i];
	return probe_is_glob(spec->prov) ? s->target : process_of(spec->prov);
}

/* The name of a provider may end with a digit, too: each process whose ID the digits end with is tried. */
static int provide_exact(struct usdt_find *f, char *reason, size_t room)
{
	const char *digits = f->spec.prov + strlen(f->spec.prov);
	int64_t first = process_of(f->spec.prov);

	while (digits > f->spec.prov + 1 && isdigit((unsigned char)digits[-1]))
		digits--;
	for (; *digits && !f->found; digits++)
		if (*digits != '0' && strtoll(digits, NULL, 10) <= first)
			take_process(f, strtoll(digits, NULL, 10));
	if (!f->examined)
		snprintf(reason, room, "%s", f->refused);
	else if (!f->found && !f->provider)
		snprintf(reason, room, "process %" PRId64 " has no such provider", f->examined);
	else if (!f->found)
		snprintf(reason, room, "the provider has no such probe");
	return f->found > 0;
}

int usdt_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		 size_t n)
{
	struct usdt_find f = { .set = s, .state = usdt_state_of(s), .spec = *spec, .code = s->code,
		.arena = s->arena };

	(void)self;
	if (!s->programs)
		return 0;
	spec_list_add(s->arena, &f.state->specs, spec);
	f.state->files.turn++;
	if (!probe_is_glob(spec->prov))
		return provide_exact(&f, reason, n);
	if (s->target > 0) {
		take_process(&f, usdt_process(s, spec));
		snprintf(reason, n, "%s", f.refused);
	} else {
		s->programs->processes(take_process, &f);
	}
	return f.found > 0;
}
