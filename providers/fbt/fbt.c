/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of the kernel: fbt:module:function:entry and return. */
#include "providers/fbt/fbt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct provider_attr attr = {
	.provider = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.args = { ST_PRIVATE, ST_PRIVATE, SC_ISA },
};

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
	size_t *left;			/* of each probe: its sites that were not refused */
	int err;
};

/* Lists the functions of all probes. Returns 0, or -ENOMEM. */
static int list_sites(struct attachment *x, const struct fbt_gate *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->probes.n; i++)
		for (const struct fbt_function *f = fbt_of(g->probes.v[i])->function; f; f = f->same)
			n++;
	x->site = calloc(n, sizeof *x->site);
	x->probe = calloc(n, sizeof *x->probe);
	x->left = calloc(g->probes.n, sizeof *x->left);
	if (!x->site || !x->probe || !x->left)
		return -ENOMEM;
	for (size_t i = 0; i < g->probes.n; i++)
		for (const struct fbt_function *f = fbt_of(g->probes.v[i])->function; f; f = f->same) {
			x->site[x->n] = (struct kprobe_site){ f->addr, i };
			x->left[i]++;
			x->probe[x->n++] = g->probes.v[i];
		}
	return 0;
}

static void note_refused(void *arg, size_t site, int err)
{
	struct attachment *x = arg;

	x->left[x->site[site].cookie]--;
	if (!x->refused++) {
		x->first = site;
		x->err = err;
	}
}

/* What could not be attached is an error, if a description names it or nothing else is left; else a warning. */
static int judge_refused(const struct attachment *x, const struct fbt_gate *g, struct attach_env *env)
{
	bool none = x->refused == x->n;

	for (size_t i = 0; x->refused && i < g->probes.n; i++)
		if (!x->left[i] && fbt_of(g->probes.v[i])->function->named) {
			snprintf(env->reason, sizeof env->reason, FBT_REFUSED, g->probes.v[i]->func);
			return x->err;
		}
	if (x->refused)
		snprintf(none ? env->reason : env->warning, none ? sizeof env->reason : sizeof env->warning,
			 "%zu of %zu functions cannot be traced, the first %s`%s: %s", x->refused, x->n,
			 x->probe[x->first]->mod, x->probe[x->first]->func, strerror(-x->err));
	return none ? x->err : 0;
}

static int fbt_attach(struct probe *p, struct attach_env *env)
{
	struct fbt_gate *g = fbt_of(p)->gate;
	struct attachment x = { .n = 0 };
	int r = list_sites(&x, g);

	if (!r)
		r = kprobes_open(&g->kprobes, &(struct kprobe_want){
			.prog_fd = env->prog_fd, .returns = g->kind == FBT_RETURN, .site = x.site, .n = x.n,
			.refused = note_refused, .arg = &x,
		}, env->reason, sizeof env->reason);
	if (!r)
		r = judge_refused(&x, g, env);
	free(x.site);
	free(x.probe);
	free(x.left);
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

static uint64_t fbt_nested(const struct probe *p)
{
	return fbt_of(p)->gate->kind == FBT_ENTRY ? kprobes_missed(&fbt_of(p)->gate->kprobes) : 0;
}

static const struct provider_gates gate_table = { .gate = fbt_gate, .number = fbt_number, .select = fbt_select };

const struct provider provider_fbt = {
	.name = "fbt", .attr = &attr, .gates = &gate_table, .enumerate = fbt_enumerate, .late = fbt_late,
	.provide = fbt_provide, .ctx = fbt_ctx, .prologue = fbt_prologue, .args = fbt_args, .arg = fbt_arg,
	.attach = fbt_attach, .detach = fbt_detach,
	.matching = &(const struct provider_matching){ .patterns = fbt_patterns },
	.attached = &(const struct provider_attached){ .links = fbt_links, .missed = fbt_missed,
		.nested = fbt_nested },
};
