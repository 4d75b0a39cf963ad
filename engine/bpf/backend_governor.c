/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The governor as a part of the kernel engine (struct backend_governor): its sentences and its account. */
#include <string.h>

#include "engine/bpf/engine.h"
#include "engine/run/limited.h"
#include "engine/run/options.h"

static struct bpf_engine *engine_of(struct backend *handle)
{
	return (struct bpf_engine *)handle;
}

/* The run time so far of programs that are not those of probes. */
static uint64_t other_cost(const struct bpf_engine *b)
{
	struct dtr_cost c = { 0 };

	if (b->ledger.open)
		ledger_cost(&b->ledger, &c);
	if (b->prog->vtime)
		cost_add(bpf_program(&b->loaded, b->prog->vtime), &c);
	if (b->threads.open && b->threads.end >= 0)
		cost_add(bpf_program(&b->loaded, b->prog->thread_end), &c);
	return c.ns;
}

static void put_share(const struct bpf_engine *b, const struct governor_recent *r, struct buf *out)
{
	limited_share(out, r->spent, r->allowed, b->governor.limit, b->ncpus);
}

/* Why the session must end. */
static void put_reason(const struct bpf_engine *b, struct buf *out)
{
	const struct governed *p = governor_culprit(&b->governor);
	const struct enabled_probe *e = p ? &b->prog->probes.v[p->probe] : NULL;

	buf_puts(out, "stopped: tracing cost ");
	put_share(b, &b->governor.recent, out);
	if (!e)
		return;
	if (p->thin) {
		buf_printf(out, "; even firings of %s that do nothing cost too much", e->probe->name);
		limited_reason(out, &e->obstacle);
	} else {
		limited_obstacle(out, e->probe->name, &e->obstacle);
	}
}

/* The clocks that are slower now. */
static void put_slower(const struct bpf_engine *b, struct buf *out)
{
	for (size_t i = 0; i < b->governor.n; i++) {
		const struct governed *p = &b->governor.v[i];

		if (p->rate > 1)
			buf_printf(out, "; %s fires at %.4g Hz", b->prog->probes.v[p->probe].probe->name,
				   1e9 / (double)(b->firings.v[i].due.interval * p->rate));
	}
}

static enum backend_governed engine_pass(struct backend *handle, uint64_t *due, struct buf *out)
{
	struct bpf_engine *b = engine_of(handle);
	enum governor_verdict v;

	if (!b->governor.begun)
		governor_begin(&b->governor);
	v = governor_pass(&b->governor, b->ncpus, other_cost(b));
	*due = b->governor.due;
	if (v == GOVERNOR_FINE)
		return GOVERNED_FINE;
	if (v == GOVERNOR_STOPS) {
		put_reason(b, out);
		return GOVERNED_STOP;
	}
	buf_puts(out, "tracing costs ");
	put_share(b, &b->governor.before, out);
	buf_puts(out, ": from now on some firings are left out, and those that run count for them");
	put_slower(b, out);
	return GOVERNED_MESSAGE;
}

void engine_govern_end(struct bpf_engine *b)
{
	if (b->armed)
		governor_end(&b->governor, b->ncpus, other_cost(b));
}

static double engine_spent(struct backend *handle)
{
	return governor_spent(&engine_of(handle)->governor);
}

static bool engine_thinned(struct backend *handle, unsigned probe, struct dtr_thinned *out)
{
	struct bpf_engine *b = engine_of(handle);
	const struct governed *p = b->governor.v && probe < b->governor.n ? &b->governor.v[probe] : NULL;

	if (!p || p->most == 1)
		return false;
	*out = (struct dtr_thinned){
		.probe = b->prog->probes.v[probe].probe->name, .most = p->most,
		.run = p->thinned[THINNED_RUN], .firings = p->thinned[THINNED_FIRINGS],
		.squares = p->thinned[THINNED_SQUARES],
		.slower = p->rate_most, .interval = b->firings.v[probe].due.interval,
	};
	return true;
}

const struct backend_governor engine_governor = {
	.pass = engine_pass,
	.spent = engine_spent,
	.thinned = engine_thinned,
};
