/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of the kernel: fbt:module:function:entry and return. */
#include "providers/fbt/fbt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = { [FBT_ENTRY] = "entry", [FBT_RETURN] = "return" };

static const struct provider_attr attr = {
	.provider = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.args = { ST_PRIVATE, ST_PRIVATE, SC_ISA },
};

/* ---- probes ---- */
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

static const struct fbt_functions *functions_of(struct probe_set *s)
{
	struct fbt_state *st = state_of(s);

	if (!st->read)
		fbt_functions_read(&st->functions, s->arena);
	st->read = true;
	return &st->functions;
}

static void add(struct probe_set *s, struct fbt_gate *g, struct fbt_function *f)
{
	struct fbt_probe *d;
	struct probe *p;

	if (probe_named(s, "fbt", f->module, f->name, kind_names[g->kind]))
		return;
	d = arena_alloc(s->arena, sizeof *d);
	*d = (struct fbt_probe){ g, (uint32_t)g->probes.n, f };
	p = probe_add(s, &provider_fbt, f->module, f->name, kind_names[g->kind], d);
	*VEC_ADD(s->arena, &g->probes) = p;
	g->gate.numbers = (uint32_t)g->probes.n;
}

static bool is_meant(const struct probe_spec *spec, const struct fbt_function *f)
{
	return probe_glob(spec->func, f->name) && probe_glob(spec->mod, f->module);
}

static void add_kinds(struct probe_set *s, const struct probe_spec *spec, struct fbt_function *f)
{
	struct fbt_state *st = state_of(s);

	for (unsigned k = 0; k < FBT_NKINDS; k++)
		if (probe_glob(spec->name, kind_names[k]))
			add(s, &st->gates[k], f);
}

/* A function of which the description means several names gets probes by one of them. Returns the number of functions;
 * *refused: one that cannot be traced. */
static size_t add_matching(struct probe_set *s, const struct probe_spec *spec, const struct fbt_function **refused)
{
	const struct fbt_functions *f = functions_of(s);
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (is_meant(spec, f->v[i])) {
			add_kinds(s, spec, f->v[i]);
			n++;
		}
	for (size_t i = 0; i < f->nothers && (*spec->func || !n); i++) {
		struct fbt_function *x = &f->other[i];

		if (!is_meant(spec, x) || (x->alias_of && is_meant(spec, x->alias_of)))
			continue;
		if (x->alias_of) {
			add_kinds(s, spec, x);
			n++;
		} else {
			*refused = x;
		}
	}
	return n;
}

static bool fbt_patterns(const struct probe_spec *spec)
{
	if (!probe_glob(spec->prov, "fbt") || (!*spec->prov && !*spec->func))
		return false;
	return probe_glob(spec->name, kind_names[FBT_ENTRY]) || probe_glob(spec->name, kind_names[FBT_RETURN]);
}

/* Called only for descriptions that fbt_patterns accepts. */
static int fbt_provide(struct probe_set *s, const struct probe_spec *spec, char *reason, size_t n)
{
	const struct fbt_function *refused = NULL;
	const char *error = functions_of(s)->error;

	if (add_matching(s, spec, &refused) || (!error && !refused) || strcmp(spec->prov, "fbt"))
		return 0;
	if (error)
		snprintf(reason, n, "%s", error);
	else
		snprintf(reason, n, "the kernel does not let the function %s be traced", refused->name);
	return -1;
}

static void fbt_enumerate(struct probe_set *s)
{
	const struct probe_spec all = { "", "", "", "", .text = "" };

	const struct fbt_function *refused;

	add_matching(s, &all, &refused);
}

/* Only a list of all probes. */
static bool fbt_late(const struct probe_spec *spec)
{
	return !*spec->prov && !*spec->mod && !*spec->func && !*spec->name;
}

/* ---- gates ---- */
static const struct probe_gate *fbt_gate(const struct probe *p)
{
	return &fbt_of(p)->gate->gate;
}

static uint32_t fbt_number(const struct probe *p)
{
	return fbt_of(p)->number;
}

static enum ir_ctx fbt_ctx(const struct probe *p)
{
	(void)p;
	return IR_C_KPROBE;
}

/* ---- attachment ---- */

/* The functions of a gate's probes that are attached together. */
struct attachment {
	struct kprobe_site *site;
	const struct probe **probe;	/* of each site */
	size_t n, refused, first;	/* first: the first site that was refused */
	int err;
};

static size_t count(const struct fbt_gate *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->probes.n; i++)
		for (const struct fbt_function *f = fbt_of(g->probes.v[i])->function; f; f = f->same)
			n++;
	return n;
}

static void fill(struct attachment *x, const struct fbt_gate *g)
{
	for (size_t i = 0; i < g->probes.n; i++)
		for (const struct fbt_function *f = fbt_of(g->probes.v[i])->function; f; f = f->same) {
			x->site[x->n] = (struct kprobe_site){ f->addr, i };
			x->probe[x->n++] = g->probes.v[i];
		}
}

static void refused(void *arg, size_t site, int err)
{
	struct attachment *x = arg;

	if (!x->refused++) {
		x->first = site;
		x->err = err;
	}
}

static void describe(const struct attachment *x, char *text, size_t n)
{
	snprintf(text, n, "%zu of %zu functions cannot be traced, the first %s`%s: %s", x->refused, x->n,
		 x->probe[x->first]->mod, x->probe[x->first]->func, strerror(-x->err));
}

static int batch_open(struct attachment *x, struct fbt_gate *g, struct attach_env *env)
{
	const struct kprobe_want w = {
		.prog_fd = env->prog_fd, .returns = g->kind == FBT_RETURN, .site = x->site, .n = x->n,
		.refused = refused, .arg = x,
	};
	int r = kprobes_open(&g->kprobes, &w, env->reason, sizeof env->reason);

	if (!r && x->refused == x->n) {
		describe(x, env->reason, sizeof env->reason);
		return x->err;
	}
	if (!r && x->refused)
		describe(x, env->warning, sizeof env->warning);
	return r;
}

static int fbt_attach(struct probe *p, struct attach_env *env)
{
	struct fbt_gate *g = fbt_of(p)->gate;
	size_t n = count(g);
	struct attachment x = { calloc(n, sizeof *x.site), calloc(n, sizeof *x.probe), 0, 0, 0, 0 };
	int r = -ENOMEM;

	if (x.site && x.probe) {
		fill(&x, g);
		r = batch_open(&x, g, env);
	}
	free(x.site);
	free(x.probe);
	if (r)
		links_close(&g->kprobes);
	return r;
}

static void fbt_detach(struct probe *p)
{
	links_close(&fbt_of(p)->gate->kprobes);
}

static const struct links *fbt_links(const struct probe *p)
{
	return &fbt_of(p)->gate->kprobes;
}

static uint64_t fbt_missed(const struct probe *p)
{
	return fbt_of(p)->gate->kind == FBT_RETURN ? kprobes_missed(&fbt_of(p)->gate->kprobes) : 0;
}

static const struct provider_gates gate_table = { .gate = fbt_gate, .number = fbt_number, .select = fbt_select };

const struct provider provider_fbt = {
	.name = "fbt", .attr = &attr, .gates = &gate_table, .enumerate = fbt_enumerate, .late = fbt_late,
	.patterns = fbt_patterns, .provide = fbt_provide, .ctx = fbt_ctx, .prologue = fbt_prologue, .args = fbt_args,
	.arg = fbt_arg,
	.attach = fbt_attach, .detach = fbt_detach, .links = fbt_links, .missed = fbt_missed,
};
