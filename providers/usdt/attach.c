/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attaches the program of the gate to the places of all probes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "providers/usdt/usdt.h"

enum { ROW_BITS = 32 };

/* The places in one file of one process, which are attached together. */
struct batch {
	struct usdt_state *state;
	int64_t pid;
	const struct program_module *module;
	struct uprobe_site *site;
	size_t n;
};

static bool same(const struct batch *x, const struct usdt_probe *d)
{
	return x->pid == d->pid && x->module->file == d->module->file;
}

static size_t count(const struct batch *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->state->probes.n; i++) {
		const struct usdt_probe *d = usdt_probe_of(x->state->probes.v[i]);

		n += same(x, d) ? d->sites.n : 0;
	}
	return n;
}

static void fill(struct batch *x)
{
	for (size_t i = 0; i < x->state->probes.n; i++) {
		const struct usdt_probe *d = usdt_probe_of(x->state->probes.v[i]);

		for (size_t k = 0; same(x, d) && k < d->sites.n; k++)
			x->site[x->n++] = (struct uprobe_site){
				.off = d->sites.v[k].off, .counter = d->sites.v[k].semaphore,
				.cookie = (uint64_t)d->sites.v[k].row << ROW_BITS | d->number,
			};
	}
}

static int attach_batch(struct usdt_state *st, const struct usdt_probe *d, struct attach_env *env)
{
	struct batch x = { .state = st, .pid = d->pid, .module = d->module };
	struct uprobe_want w = { .prog_fd = env->prog_fd, .file = d->module->fd, .pid = (int)d->pid };
	int r = -ENOMEM;

	x.site = calloc(count(&x), sizeof *x.site);
	if (x.site) {
		fill(&x);
		w.site = x.site;
		w.n = x.n;
		r = uprobes_open(&st->uprobes, &w, env->reason, sizeof env->reason);
	}
	free(x.site);
	return r;
}

/* True if an earlier probe belongs to the same batch. */
static bool attached(const struct usdt_state *st, size_t i)
{
	const struct usdt_probe *d = usdt_probe_of(st->probes.v[i]);
	const struct batch x = { .pid = d->pid, .module = d->module };

	for (size_t k = i; k-- > 0;)
		if (same(&x, usdt_probe_of(st->probes.v[k])))
			return true;
	return false;
}

int usdt_attach(struct probe *p, struct attach_env *env)
{
	struct usdt_state *st = usdt_probe_of(p)->state;
	int r = 0;

	for (size_t i = 0; i < st->probes.n && !r; i++)
		if (!attached(st, i))
			r = attach_batch(st, usdt_probe_of(st->probes.v[i]), env);
	if (r)
		usdt_detach(p);
	return r;
}

void usdt_detach(struct probe *p)
{
	uprobes_close(&usdt_probe_of(p)->state->uprobes);
}
