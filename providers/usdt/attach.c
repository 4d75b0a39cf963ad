/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attaches the program of the gate to the places of all probes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "providers/family.h"
#include "providers/usdt/usdt.h"

/* The places in one file of one process, which are attached together. */
struct usdt_batch {
	const usdt_probes *of;		/* the probes that are attached now */
	int64_t pid;
	const struct program_module *module;
	struct uprobe_site *site;
	size_t n;
};

static bool in_batch(const struct usdt_batch *x, const struct usdt_probe *d)
{
	return d->sites.n && x->pid == d->pid && x->module->file == d->module->file;
}

/* Lists the places of the batch. Returns 0, or -ENOMEM. */
static int batch_list(struct usdt_batch *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->of->n; i++)
		n += in_batch(x, usdt_probe_of(x->of->v[i])) ? usdt_probe_of(x->of->v[i])->sites.n : 0;
	x->site = calloc(n, sizeof *x->site);
	if (!x->site)
		return -ENOMEM;
	for (size_t i = 0; i < x->of->n; i++) {
		const struct usdt_probe *d = usdt_probe_of(x->of->v[i]);

		for (size_t k = 0; in_batch(x, d) && k < d->sites.n; k++)
			x->site[x->n++] = (struct uprobe_site){
				.off = d->sites.v[k].off, .counter = d->sites.v[k].semaphore,
				.cookie = (uint64_t)d->sites.v[k].row << USDT_ROW_BITS | d->number,
			};
	}
	return 0;
}

/* Attaches the batch to which a probe belongs. */
static int attach_batch(struct usdt_state *st, const usdt_probes *of, const struct usdt_probe *d,
			struct attach_env *env)
{
	struct usdt_batch x = { .of = of, .pid = d->pid, .module = d->module };
	int r = batch_list(&x);

	if (!r)
		r = uprobes_open(&st->uprobes, &(struct uprobe_want){
			.prog_fd = env->prog_fd, .file = d->module->fd, .pid = family_link(st->set, d->pid),
			.site = x.site, .n = x.n,
		}, env->reason, sizeof env->reason);
	free(x.site);
	return r;
}

/* True if an earlier probe belongs to the same batch. */
static bool attached_before(const usdt_probes *of, size_t i)
{
	const struct usdt_probe *d = usdt_probe_of(of->v[i]);
	const struct usdt_batch x = { .pid = d->pid, .module = d->module };

	for (size_t k = i; k-- > 0;)
		if (in_batch(&x, usdt_probe_of(of->v[k])))
			return true;
	return false;
}

static int attach_all(struct usdt_state *st, const usdt_probes *of, struct attach_env *env)
{
	int r = 0;

	for (size_t i = 0; i < of->n && !r; i++)
		if (usdt_probe_of(of->v[i])->sites.n && !attached_before(of, i))
			r = attach_batch(st, of, usdt_probe_of(of->v[i]), env);
	return r;
}

int usdt_attach(struct probe *p, struct attach_env *env)
{
	struct usdt_state *st = usdt_probe_of(p)->state;
	int r;

	st->env = env;
	st->compiled = st->rows.n;
	r = attach_all(st, &st->probes, env);
	if (!r)
		r = usdt_files_attach(st);
	if (r)
		usdt_detach(p);
	return r;
}

int usdt_attach_fresh(struct usdt_state *st)
{
	int r = attach_all(st, &st->fresh, st->env);

	st->fresh.n = 0;
	return r;
}

void usdt_detach(struct probe *p)
{
	struct usdt_state *st = usdt_probe_of(p)->state;

	files_detach(&st->files, &st->uprobes);
	links_close(&st->uprobes);
	st->env = NULL;
}
