/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attaches the program of a gate to the instructions of all its probes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "providers/code/code.h"
#include "providers/family.h"

/* The instructions of one file in one process that are attached together. */
struct batch {
	int64_t pid;
	const struct program_module *module;
	bool after;
	struct code_place *place;
	struct uprobe_site *site;	/* of each place */
	size_t n;
	struct code_gate *gate;
	const code_probes *of;		/* the probes that are attached now */
	size_t refused, first;		/* sites that the kernel cannot probe; the first of them */
};

static bool in_batch(const struct batch *x, const struct code_probe *d)
{
	return d->nsites && x->pid == d->pid && x->module->file == d->module->file && x->after == d->after;
}

/* Lists the instructions of the batch. Returns 0, or -ENOMEM. */
static int batch_list(struct batch *x, struct attach_env *env)
{
	size_t n = 0;

	for (size_t i = 0; i < x->of->n; i++)
		n += in_batch(x, code_of(x->of->v[i])) ? code_of(x->of->v[i])->nsites : 0;
	x->site = calloc(n, sizeof *x->site);
	x->place = calloc(n, sizeof *x->place);
	if (!x->site || !x->place)
		return -ENOMEM;
	for (size_t i = 0; i < x->of->n; i++) {
		struct probe *p = x->of->v[i];
		const struct code_probe *d = code_of(p);

		for (size_t k = 0; in_batch(x, d) && k < d->nsites; k++)
			x->place[x->n++] = (struct code_place){
				&d->site[k], p, d->site[k].off, code_cookie(d, &d->site[k]),
			};
	}
	if (x->gate->gate.turns)
		x->n = code_merge(x->gate, env, x->place, x->n);
	for (size_t i = 0; i < x->n; i++)
		x->site[i] = (struct uprobe_site){ .off = x->place[i].off, .cookie = x->place[i].cookie };
	return 0;
}

static void note_refused(void *arg, size_t site, int err)
{
	struct batch *x = arg;

	(void)err;
	if (!x->refused++)
		x->first = site;
}

/* True if the process still has the instruction that the file has: the kernel has not probed it there. A file on a
 * layered file system that was written to is another one than before (overlayfs copies it), and what processes have
 * mapped stays the old one. */
static bool is_untouched(const struct batch *x)
{
	const struct program_module *m = x->module;
	const uint64_t off = x->site[0].off;
	unsigned char now[4] = { 0 }, before[sizeof now];
	struct iovec to = { now, sizeof now }, from = { (void *)(uintptr_t)(m->start + off - m->off), sizeof now };

	return x->pid > 0 && off >= m->off && off - m->off < m->end - m->start &&
	       pread(m->fd, before, sizeof before, (off_t)off) == sizeof before &&
	       process_vm_readv((pid_t)x->pid, &to, 1, &from, 1, 0) == sizeof now && !memcmp(now, before, sizeof now);
}

/* Attaches the batch to which a probe belongs. */
static int attach_batch(struct code_gate *g, const code_probes *of, const struct code_probe *d, struct attach_env *env)
{
	struct batch x = { .pid = d->pid, .module = d->module, .after = d->after, .gate = g, .of = of };
	int r = batch_list(&x, env);

	if (!r)
		r = uprobes_open(&g->uprobes, &(struct uprobe_want){
			.prog_fd = env->prog_fd, .file = x.module->fd, .pid = family_link(g->state->set, x.pid),
			.returns = x.after, .site = x.site, .n = x.n, .refused = note_refused, .arg = &x,
		}, env->reason, sizeof env->reason);
	if (!r && x.refused) {
		const struct code_place *first = &x.place[x.first];
		bool all = x.refused == x.n;

		snprintf(all ? env->reason : env->warning, all ? sizeof env->reason : sizeof env->warning,
			 "%zu of %zu instructions cannot be probed, the first at %s:%s+0x%llx", x.refused, x.n,
			 first->probe->mod, first->probe->func, (unsigned long long)first->site->at);
		r = all ? -EOPNOTSUPP : 0;
	} else if (!r && is_untouched(&x)) {
		snprintf(env->warning, sizeof env->warning, "process %lld has mapped another file than the one that is "
			 "now at %s, so its probes will not fire (overlayfs: a file was copied when it was written to)",
			 (long long)x.pid, x.module->path);
	}
	free(x.site);
	free(x.place);
	return r;
}

/* True if an earlier probe belongs to the same batch. */
static bool attached_before(const code_probes *of, size_t i)
{
	const struct code_probe *d = code_of(of->v[i]);
	const struct batch x = { .pid = d->pid, .module = d->module, .after = d->after };

	for (size_t k = i; k-- > 0;)
		if (in_batch(&x, code_of(of->v[k])))
			return true;
	return false;
}

static int attach_all(struct code_gate *g, const code_probes *of, struct attach_env *env)
{
	int r = 0;

	for (size_t i = 0; i < of->n && !r; i++)
		if (code_of(of->v[i])->nsites && !attached_before(of, i))
			r = attach_batch(g, of, code_of(of->v[i]), env);
	return r;
}

int code_attach(struct probe *p, struct attach_env *env)
{
	struct code_gate *g = code_of(p)->gate;
	int r;

	if (g->state->unprobed)
		snprintf(env->warning, sizeof env->warning,
			 "%zu instructions that patterns match cannot be probed, the first %s", g->state->unprobed,
			 g->state->first);
	g->state->unprobed = 0;
	g->used = 0;
	g->env = env;
	r = attach_all(g, &g->probes, env);
	if (r)
		code_detach(p);
	return r;
}

int code_attach_fresh(struct code_gate *g)
{
	int r = attach_all(g, &g->fresh, g->env);

	g->fresh.n = 0;
	return r;
}

void code_detach(struct probe *p)
{
	struct code_gate *g = code_of(p)->gate;

	links_close(&g->uprobes);
	g->env = NULL;
}
