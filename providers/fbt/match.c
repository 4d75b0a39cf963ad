/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions that a description means. */
#include <stdio.h>
#include <string.h>

#include "providers/fbt/fbt.h"

static const char *const kind_names[] = { [FBT_ENTRY] = "entry", [FBT_RETURN] = "return" };

static struct fbt_state *state_of(struct probe_set *s)
{
	static const char *const names[] = { [FBT_ENTRY] = "fbt:entry", [FBT_RETURN] = "fbt:return" };
	void **slot = probe_state_of(s, &provider_fbt);
	struct fbt_state *st = *slot;

	if (st)
		return st;
	*slot = st = arena_alloc(s->arena, sizeof *st);
	*st = (struct fbt_state){ .set = s };
	for (unsigned i = 0; i < FBT_NKINDS; i++) {
		st->gates[i].gate.name = names[i];
		st->gates[i].kind = i;
		st->gates[i].state = st;
	}
	return st;
}

const struct fbt_functions *fbt_functions_of(struct fbt_state *st)
{
	if (!st->read)
		fbt_functions_read(&st->functions, st->set->arena);
	st->read = true;
	return &st->functions;
}

static void add_named(void *arg, const struct kallsyms_line *x)
{
	struct fbt_state *st = arg;
	struct fbt_function *f, *first = NULL;

	if (!x->addr)
		return;
	for (size_t i = 0; i < st->named.n && !first; i++)
		if (!strcmp(st->named.v[i]->name, x->name) && !strcmp(st->named.v[i]->module, x->module))
			first = st->named.v[i];
	f = arena_alloc(st->set->arena, sizeof *f);
	*f = (struct fbt_function){
		.name = arena_strdup(st->set->arena, x->name), .module = arena_strdup(st->set->arena, x->module),
		.addr = x->addr, .named = true,
	};
	if (first) {
		f->same = first->same;
		first->same = f;
	} else {
		*VEC_ADD(st->set->arena, &st->named) = f;
	}
}

/* Finds the functions with this name without a list of all of them. */
static void find_named(struct fbt_state *st, const char *name)
{
	for (size_t i = 0; i < st->named.n; i++)
		if (!strcmp(st->named.v[i]->name, name))
			return;
	fbt_named_symbols(name, add_named, st);
}

static void add_probe(struct probe_set *s, struct fbt_gate *g, struct fbt_function *f)
{
	const struct probe_names names = { provider_fbt.name, f->module, f->name, kind_names[g->kind] };
	struct fbt_probe *d;
	struct probe *p;

	if (probe_named(s, &names))
		return;
	d = arena_alloc(s->arena, sizeof *d);
	*d = (struct fbt_probe){ g, (uint32_t)g->probes.n, f };
	p = probe_add(s, &provider_fbt, &names, d);
	*VEC_ADD(s->arena, &g->probes) = p;
	g->gate.numbers = (uint32_t)g->probes.n;
}

static bool is_meant(const struct probe_spec *spec, const struct fbt_function *f)
{
	return probe_glob(spec->func, f->name) && probe_glob(spec->mod, f->module);
}

static bool is_exact(const struct probe_spec *spec)
{
	return *spec->func && !probe_is_glob(spec->func);
}

static void add_kinds(struct probe_set *s, const struct probe_spec *spec, struct fbt_function *f)
{
	struct fbt_state *st = state_of(s);

	for (unsigned k = 0; k < FBT_NKINDS; k++)
		if (probe_glob(spec->name, kind_names[k]))
			add_probe(s, &st->gates[k], f);
}

/* Functions that a description means and that have no probes, or NULL. */
struct without {
	const struct fbt_function *refused;	/* the kernel does not let it be traced */
	const struct fbt_function *skipped;	/* patterns leave it out */
};

/* Adds probes of functions that the kernel can trace. Returns the number of functions. */
static size_t add_traceable(struct probe_set *s, const struct probe_spec *spec, struct without *w)
{
	const struct fbt_functions *f = fbt_functions_of(state_of(s));
	bool exact = is_exact(spec);
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (!is_meant(spec, f->v[i]))
			continue;
		if (!exact && fbt_is_skipped(f->v[i])) {
			w->skipped = f->v[i];
			continue;
		}
		f->v[i]->named |= exact;
		add_kinds(s, spec, f->v[i]);
		n++;
	}
	return n;
}

/* A function of which the description means several names gets probes by one of them. Returns the number of
 * functions. */
static size_t add_matching(struct probe_set *s, const struct probe_spec *spec, struct without *w)
{
	const struct fbt_functions *f = fbt_functions_of(state_of(s));
	size_t n = add_traceable(s, spec, w);

	for (size_t i = 0; i < f->nothers && (*spec->func || !n); i++) {
		struct fbt_function *x = &f->other[i];

		if (!is_meant(spec, x) || (x->alias_of && is_meant(spec, x->alias_of)))
			continue;
		if (!x->alias_of) {
			w->refused = x;
		} else if (is_exact(spec) || !fbt_is_skipped(x)) {
			add_kinds(s, spec, x);
			n++;
		}
	}
	return n;
}

/* For a description with the full name of a function, before the list has been read: whether the kernel lets it be
 * traced is known when it is attached. Returns the number of functions. */
static size_t add_exact(struct probe_set *s, const struct probe_spec *spec)
{
	struct fbt_state *st = state_of(s);
	size_t n = 0;

	if (!is_exact(spec) || st->read || !s->runs || kprobe_lacks())
		return 0;
	find_named(st, spec->func);
	for (size_t i = 0; i < st->named.n; i++)
		if (is_meant(spec, st->named.v[i])) {
			add_kinds(s, spec, st->named.v[i]);
			n++;
		}
	return n;
}

bool fbt_patterns(const struct probe_spec *spec)
{
	if (!probe_glob(spec->prov, "fbt") || (!*spec->prov && !*spec->func))
		return false;
	return probe_glob(spec->name, kind_names[FBT_ENTRY]) || probe_glob(spec->name, kind_names[FBT_RETURN]);
}

/* Called only for descriptions that fbt_patterns accepts. */
int fbt_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason, size_t n)
{
	struct without w = { NULL, NULL };
	const char *error;

	(void)self;
	if (add_exact(s, spec))
		return 0;
	error = fbt_functions_of(state_of(s))->error;
	if (add_matching(s, spec, &w))
		return 0;
	if (strcmp(spec->prov, "fbt")) {	/* another provider may have such a function */
		if (error && !*spec->prov && !probe_is_glob(spec->func))
			snprintf(reason, n, "fbt: %s", error);
		return 0;
	}
	if (error)
		snprintf(reason, n, "%s", error);
	else if (w.skipped)
		snprintf(reason, n, "patterns leave out functions such as %s, which run or endanger probes; name it in "
			 "full", w.skipped->name);
	else if (w.refused)
		snprintf(reason, n, FBT_REFUSED, w.refused->name);
	return error || w.skipped || w.refused ? -1 : 0;
}

void fbt_enumerate(const struct provider *self, struct probe_set *s)
{
	const struct probe_spec all = { "", "", "", "", .text = "" };
	struct without w;

	(void)self;
	add_matching(s, &all, &w);
}

/* Only a list of all probes. */
bool fbt_late(const struct provider *self, const struct probe_spec *spec)
{
	(void)self;
	return !*spec->prov && !*spec->mod && !*spec->func && !*spec->name;
}
