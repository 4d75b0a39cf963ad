/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/registry.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct provider *const providers[] = {
#define PROVIDER(name) &provider_##name,
#include "providers/providers.def"
	NULL
};

void probe_set_init(struct probe_set *s, struct arena *a)
{
	memset(s, 0, sizeof *s);
	s->arena = a;
	map_init(&s->by_name, a);
	map_init(&s->namesakes, a);
	map_init(&s->states, a);
}

void **probe_state_of(struct probe_set *s, const struct provider *p)
{
	return map_put(&s->states, &p, sizeof p);
}

void probe_set_enumerate(struct probe_set *s)
{
	for (const struct provider *const *p = providers; *p; p++) {
		if ((*p)->enumerate && !(*p)->late)
			(*p)->enumerate(*p, s);
	}
}

/* Its probes have provider names of their own. */
static bool has_own_names(const struct provider *p)
{
	return p->matching && p->matching->claims;
}

static bool takes_patterns(const struct provider *p)
{
	return p->matching && p->matching->patterns;
}

static bool compares_itself(const struct provider *p)
{
	return p->matching && p->matching->matches;
}

/* Enumerates the late providers that a description may mean, and those before them: always in order of the registry, so
 * that IDs are the same in most runs. */
static void enumerate_for(struct probe_set *s, const struct probe_spec *spec)
{
	unsigned end = 0;

	for (unsigned i = 0; providers[i]; i++) {
		const struct provider *p = providers[i];

		if (p->late && probe_glob(spec->prov, p->name) && p->late(p, spec))
			end = i + 1;
	}
	for (; s->late < end; s->late++) {
		const struct provider *p = providers[s->late];

		if (p->late && p->enumerate)
			p->enumerate(p, s);
	}
}

void probe_set_enumerate_all(struct probe_set *s)
{
	const struct probe_spec all = { "", "", "", "", .text = "" };

	char reason[256];

	enumerate_for(s, &all);
	for (const struct provider *const *p = providers; *p; p++)
		if (takes_patterns(*p) && (*p)->matching->patterns(&all))
			(*p)->provide(*p, s, &all, reason, sizeof reason);
}

/* Probes with the same name, in order of ID. */
struct namesakes {
	struct probe *first, **end;
};

static void namesakes_add(struct probe_set *s, struct probe *p)
{
	struct namesakes *n = map_gets(&s->namesakes, p->name);

	if (!n) {
		n = arena_alloc(s->arena, sizeof *n);
		n->end = &n->first;
		map_sets(&s->namesakes, p->name, n);
	}
	*n->end = p;
	n->end = &p->next;
}

static const char *full_name(struct arena *a, const struct probe_names *n)
{
	return arena_printf(a, "%s:%s:%s:%s", n->prov, n->mod, n->func, n->name);
}

struct probe *probe_add_spare(struct probe_set *s, const struct provider *prov, void *data)
{
	struct probe *p = arena_alloc(s->arena, sizeof *p);

	*p = (struct probe){ .prov = prov, .provname = prov->name, .mod = "", .func = "", .name = "", .data = data };
	*VEC_ADD(s->arena, &s->list) = p;
	p->id = (uint32_t)s->list.n;
	return p;
}

struct probe *probe_named(const struct probe_set *s, const struct probe_names *names)
{
	return map_gets(&s->by_name, full_name(s->arena, names));
}

void probe_fill(struct probe_set *s, struct probe *p, const struct probe_names *names)
{
	p->provname = names->prov;
	p->mod = arena_strdup(s->arena, names->mod);
	p->func = arena_strdup(s->arena, names->func);
	p->name = arena_strdup(s->arena, names->name);
	p->func_hash = hash_bytes(p->func, strlen(p->func));
	map_sets(&s->by_name, full_name(s->arena, names), p);
	namesakes_add(s, p);
}

struct probe *probe_add(struct probe_set *s, const struct provider *prov, const struct probe_names *names, void *data)
{
	const struct probe_names all = {
		names->prov ? names->prov : prov->name, names->mod ? names->mod : "", names->func ? names->func : "",
		names->name,
	};
	struct probe *p = probe_named(s, &all);

	if (!p) {
		p = probe_add_spare(s, prov, data);
		probe_fill(s, p, &all);
	}
	return p;
}

int probe_refuse(const struct probe_answer *to, enum diag_tag tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(to->reason, to->room, fmt, ap);
	va_end(ap);
	to->set->refused = tag;
	return -1;
}

bool probe_is_glob(const char *s)
{
	return strpbrk(s, "*?[\\") != NULL;
}

bool probe_is_meant(const struct probe *p, const struct probe_spec *spec)
{
	if (compares_itself(p->prov))
		return p->prov->matching->matches(p, spec);
	return probe_glob(spec->prov, p->provname) && probe_glob(spec->mod, p->mod) &&
	       probe_glob(spec->func, p->func) && probe_glob(spec->name, p->name) && probe_exists(p);
}

const char *probe_process_hint(const struct probe_spec *spec)
{
	size_t name = strcspn(spec->prov, "0123456789");

	return strcmp(spec->prov + name, "0") ? "" : ": -p PID or -c COMMAND sets $target";
}

int64_t probe_process(const struct probe_spec *spec, const struct provider *p)
{
	size_t len = strlen(p->name);
	const char *digits = spec->prov + len;
	long long id;
	char *end;

	if (!p->processes || strncmp(spec->prov, p->name, len) || strspn(digits, "0123456789") != strlen(digits))
		return -1;
	id = strtoll(digits, &end, 10);
	return id <= INT32_MAX ? id : 0;
}

/* "pid*": the provider of a process with a pattern in place of the number; NULL: another description. */
static const struct provider *provider_of_all(const struct probe_spec *spec)
{
	for (const struct provider *const *p = providers; *p; p++) {
		size_t n = strlen((*p)->name);
		const char *number = spec->prov + n;

		if ((*p)->processes && !has_own_names(*p) && !takes_patterns(*p) &&
		    !strncmp(spec->prov, (*p)->name, n) && probe_is_glob(number) &&
		    !number[strspn(number, "0123456789*?[]-!")])
			return *p;
	}
	return NULL;
}

bool probe_means_target(const struct probe_spec *spec)
{
	if (!probe_is_glob(spec->prov) || probe_names_kernel(spec))
		return false;
	return provider_of_all(spec) || probe_in_process(spec);
}

const char *probe_prov_of_target(struct arena *a, const struct probe_spec *spec, int64_t pid)
{
	const struct provider *all = provider_of_all(spec);
	size_t n = strlen(spec->prov);
	const char *name;

	if (!all)
		return arena_printf(a, "%s%s%lld", spec->prov, spec->prov[n - 1] == '*' ? "" : "*", (long long)pid);
	name = arena_printf(a, "%s%lld", all->name, (long long)pid);
	return probe_glob(spec->prov, name) ? name : NULL;
}

bool probe_names_provider(const struct probe_spec *spec)
{
	for (const struct provider *const *p = providers; *p; p++)
		if (!has_own_names(*p) && probe_process(spec, *p) >= 0)
			return true;
	return false;
}

bool probe_names_kernel(const struct probe_spec *spec)
{
	for (const struct provider *const *p = providers; *p; p++)
		if (!(*p)->processes && probe_glob(spec->prov, (*p)->name))
			return true;
	return false;
}

bool probe_in_process(const struct probe_spec *spec)
{
	for (const struct provider *const *p = providers; *p; p++)
		if (probe_process(spec, *p) >= 0 || (has_own_names(*p) && (*p)->matching->claims(spec)))
			return true;
	return false;
}

/* As probe_process, also with names of the provider's own. */
static int64_t process_of(const struct provider *p, const struct probe_set *s, const struct probe_spec *spec)
{
	return p->matching && p->matching->process ? p->matching->process(s, spec) : probe_process(spec, p);
}

int64_t probe_process_of(const struct probe_set *s, const struct probe_spec *spec)
{
	int64_t pid = 0;

	for (const struct provider *const *p = providers; *p && pid <= 0; p++)
		pid = process_of(*p, s, spec);
	return pid > 0 ? pid : 0;
}

static bool is_everywhere(const struct provider *p, const struct probe_set *s, const struct probe_spec *spec)
{
	const struct provider *all = provider_of_all(spec);

	return p->everywhere && (!all || all == p) && p->everywhere->means(s, spec);
}

bool probe_everywhere(const struct probe_set *s, const struct probe_spec *spec)
{
	for (const struct provider *const *p = providers; *p; p++)
		if (is_everywhere(*p, s, spec))
			return true;
	return false;
}

bool probe_may_come(const struct probe_set *s, const struct probe_spec *spec)
{
	const struct provider *all = provider_of_all(spec);

	return probe_everywhere(s, spec) || (s->followfork && s->target > 0 && all && all->everywhere);
}

unsigned probe_anchors(struct probe_set *s, const struct probe_spec *spec, struct probe **out)
{
	for (const struct provider *const *p = providers; *p; p++) {
		int64_t pid = process_of(*p, s, spec);

		if ((pid > 0 || is_everywhere(*p, s, spec)) && (*p)->gates && (*p)->gates->anchors)
			return (*p)->gates->anchors(s, spec, out);
	}
	return 0;
}

/* Has the provider of a process create the probe that the description names. Returns false if it names none. */
static bool process_provide(struct probe_set *s, const struct probe_spec *spec, char *reason, size_t n)
{
	const struct provider *all = provider_of_all(spec);

	for (const struct provider *const *p = providers; *p; p++)
		if (probe_process(spec, *p) >= 0) {
			(*p)->provide(*p, s, spec, reason, n);
			return true;
		}
	if (!all)
		return false;
	if (all->everywhere) {
		all->provide(all, s, spec, reason, n);
		return true;
	}
	s->refused = D_PROC_BADPID;
	snprintf(reason, n, "'%s' means many processes: the %s provider needs one, %s$target (-p PID or -c COMMAND) or "
		 "%s1234", spec->prov, all->name, all->name, all->name);
	return true;
}

static unsigned match_id(struct probe_set *s, uint32_t id, const struct probe_sink *to, char *reason, size_t n)
{
	if (id > s->list.n)
		probe_set_enumerate_all(s);
	if (id > s->list.n || !probe_exists(s->list.v[id - 1])) {
		snprintf(reason, n, "no probe has the id %u", id);
		return 0;
	}
	to->found(to->arg, s->list.v[id - 1]);
	return 1;
}

/* Passes on the probes of the set that the description means. A script may name thousands: only those of a name are
 * examined for it. Returns their number. */
static unsigned match_known(struct probe_set *s, const struct probe_spec *spec, const struct probe_sink *to)
{
	bool named = *spec->name && !probe_is_glob(spec->name) && !probe_in_process(spec);
	const struct namesakes *same = named ? map_gets(&s->namesakes, spec->name) : NULL;
	const bool exact = *spec->func && !probe_is_glob(spec->func);
	const uint64_t hash = hash_bytes(spec->func, strlen(spec->func));
	unsigned matched = 0;

	for (struct probe *p = same ? same->first : NULL; p; p = p->next) {
		/* a script may have a clause for each of hundreds of system calls, which all have the same name */
		if ((!exact || p->func_hash == hash || compares_itself(p->prov)) && probe_is_meant(p, spec)) {
			to->found(to->arg, p);
			matched++;
		}
	}
	for (size_t i = 0, end = named ? 0 : s->list.n; i < end; i++) {
		if (probe_is_meant(s->list.v[i], spec)) {
			to->found(to->arg, s->list.v[i]);
			matched++;
		}
	}
	return matched;
}

/* Nothing has this name: it may be a name of another system. */
static unsigned match_foreign(struct probe_set *s, const struct probe_spec *spec, const struct probe_sink *to)
{
	struct probe_spec here;
	unsigned matched = 0;
	char func[64];

	for (unsigned i = 0; foreign_to_local(spec, i, &here, func, sizeof func); i++) {
		enumerate_for(s, &here);
		matched += match_known(s, &here, to);
	}
	return matched;
}

unsigned probe_match(struct probe_set *s, const struct probe_spec *spec, const struct probe_sink *to, char *reason,
		     size_t n)
{
	bool named = *spec->name && !probe_is_glob(spec->name), refused = false;
	unsigned matched;

	if (n)
		*reason = '\0';
	s->refused = D_NONE;
	if (spec->id)
		return match_id(s, spec->id, to, reason, n);
	enumerate_for(s, spec);
	if (!process_provide(s, spec, reason, n)) {
		for (const struct provider *const *p = providers; *p; p++)
			if ((has_own_names(*p) && (*p)->matching->claims(spec)) ||
			    (takes_patterns(*p) && (*p)->matching->patterns(spec)))
				(*p)->provide(*p, s, spec, reason, n);
		for (const struct provider *const *p = providers; named && *p && !refused; p++)
			if ((*p)->provide && !(*p)->processes && !takes_patterns(*p) &&
			    probe_glob(spec->prov, (*p)->name))
				refused = (*p)->provide(*p, s, spec, reason, n) < 0;
	}
	matched = match_known(s, spec, to);
	if (!matched)
		matched = match_foreign(s, spec, to);
	if (!matched && n && !*reason)
		probe_hint(spec, reason, n);
	return matched;
}
