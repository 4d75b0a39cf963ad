/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Descriptions -> probes. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "providers/pid/pid.h"
#include "providers/registry.h"
#include "providers/usdt/usdt.h"

enum { REASON = 128 };

struct find {
	struct probe_set *set;
	struct usdt_state *state;
	const struct probe_spec *spec;
	int64_t pid;
	bool provider;			/* the process has probes of a provider that the description means */
	size_t found;
	char *reason;
	size_t room;
};

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

bool usdt_matches(const struct probe *p, const struct probe_spec *spec)
{
	const struct usdt_probe *d = usdt_probe_of(p);

	return provider_matches(spec->prov, p->provname, d->pid) && pid_module_matches(spec->mod, d->module) &&
	       function_matches(spec->func, p->func, d->plain) && name_matches(spec->name, d->note, p->name);
}

/* ---- probes ---- */
static struct usdt_probe *create(struct find *f, const struct program_module *m, const char *provname,
				 const char *function, const char *plain, const struct program_note *note,
				 const char *shown)
{
	struct usdt_probe *d = arena_alloc(f->set->arena, sizeof *d);
	const char *module = strrchr(m->path, '/');
	struct probe *p = probe_add_as(f->set, &provider_usdt, provname, module ? module + 1 : m->path, function, shown,
				       d);

	if (p->data != d)
		return usdt_probe_of(p);
	*d = (struct usdt_probe){
		.state = f->state, .number = (uint32_t)f->state->probes.n, .pid = f->pid, .module = m, .plain = plain,
		.note = note->name,
	};
	*VEC_ADD(f->set->arena, &f->state->probes) = p;
	f->state->gate.numbers = (uint32_t)f->state->probes.n;
	return d;
}

/* Another description may have found the place already. */
static void add_site(struct find *f, struct usdt_probe *d, const struct program_module *m,
		     const struct program_note *note)
{
	for (size_t i = 0; i < d->sites.n; i++)
		if (d->sites.v[i].off == note->off)
			return;
	*VEC_ADD(f->set->arena, &d->sites) = (struct usdt_site){
		.off = note->off, .semaphore = note->semaphore, .row = usdt_row_of(f->set, f->state, m, note),
	};
}

/* The function's name without the suffix of a part that the compiler moved (f.cold). */
static const char *function_name(struct find *f, const struct program_function *x)
{
	const char *part = x && x->part ? strstr(x->name, ".cold") : NULL;

	return !x ? "" : part ? arena_strndup(f->set->arena, x->name, (size_t)(part - x->name)) : x->name;
}

/* The function's name in its language, if that is another one. */
static const char *plain_name(struct find *f, const char *name)
{
	const char *plain = f->set->programs->plain(f->set->code, name);

	return plain == name || !strcmp(plain, name) ? NULL : arena_strdup(f->set->arena, plain);
}

static void per_note(struct find *f, const struct program_module *m, const struct program_note *note)
{
	const char *provname = arena_printf(f->set->arena, "%s%" PRId64, note->provider, f->pid), *function, *plain;
	const char *shown;

	if (!provider_matches(f->spec->prov, provname, f->pid))
		return;
	f->provider = true;
	shown = shown_name(f->set->arena, note->name);
	if (!name_matches(f->spec->name, note->name, shown))
		return;
	function = function_name(f, f->set->programs->function_at(f->set->code, m, note->off));
	plain = plain_name(f, function);
	if (!function_matches(f->spec->func, function, plain))
		return;
	add_site(f, create(f, m, provname, function, plain, note, shown), m, note);
	f->found++;
}

/* ---- processes ---- */
static void per_process(void *arg, int64_t pid)
{
	struct find *f = arg;
	const struct program_module *m;
	const struct program_note *v;
	char reason[REASON];
	size_t n, notes;

	f->pid = pid;
	if (f->set->programs->modules(f->set->code, pid, &m, &n, reason, sizeof reason) < 0)
		return;	/* it has ended, or may not be examined */
	for (size_t i = 0; i < n; i++) {
		if (!pid_module_matches(f->spec->mod, &m[i]) ||
		    f->set->programs->notes(f->set->code, &m[i], &v, &notes) < 0)
			continue;
		for (size_t k = 0; k < notes; k++)
			per_note(f, &m[i], &v[k]);
	}
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

bool usdt_claims(const struct probe_spec *spec)
{
	if (!*spec->prov || probe_process(spec, &provider_pid) >= 0)
		return false;
	return probe_is_glob(spec->prov) || process_of(spec->prov);
}

/* The name of a provider may end with a digit, too: each process whose ID the digits end with is tried. */
static int provide_exact(struct find *f)
{
	const char *digits = f->spec->prov + strlen(f->spec->prov);
	int64_t first = process_of(f->spec->prov);

	while (digits > f->spec->prov + 1 && isdigit((unsigned char)digits[-1]))
		digits--;
	for (; *digits && !f->found; digits++)
		if (*digits != '0' && strtoll(digits, NULL, 10) <= first)
			per_process(f, strtoll(digits, NULL, 10));
	if (!f->found && !f->provider)
		snprintf(f->reason, f->room, "process %" PRId64 " has no such provider", first);
	else if (!f->found)
		snprintf(f->reason, f->room, "the provider has no such probe");
	return f->found > 0;
}

int usdt_provide(struct probe_set *s, const struct probe_spec *spec, char *reason, size_t n)
{
	struct find f = {
		.set = s, .state = usdt_state_of(s), .spec = spec, .reason = reason, .room = n,
	};

	if (!s->programs)
		return 0;
	if (!probe_is_glob(spec->prov))
		return provide_exact(&f);
	if (s->target > 0)
		per_process(&f, s->target);
	else
		s->programs->processes(per_process, &f);
	return f.found > 0;
}
