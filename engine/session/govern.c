/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/govern.h"

#include <inttypes.h>

#include "base/clock.h"
#include "engine/output/printer.h"

static bool is_governed(const struct dtr *t)
{
	return t->opts.maxcost && t->ops->governor;
}

int govern_check(struct dtr *t)
{
	const char *why = NULL;

	if (!t->opts.maxcost)
		return 0;
	if (t->query)
		why = "a recording has been made already";
	else if (t->recording)
		why = "each sample of a recording counts once; -r is the rate";
	else if (!t->ops->governor)
		why = "only the kernel engine can leave out firings before they cost anything";
	else if (t->opts.flowindent)
		why = "-F needs each entry and each return";
	else if (t->opts.shares)
		why = "-x shares needs samples that count once";
	else if (t->opts.interval)
		why = "-x interval needs samples that count once";
	if (!why)
		return 0;
	output_message(&t->output, "-x maxcost is not possible here: %s", why);
	return -1;
}

void govern_pass(struct dtr *t)
{
	struct buf text = { 0 };
	enum backend_governed r;

	if (!is_governed(t))
		return;
	r = t->ops->governor->pass(t->backend, &t->govern_due, &text);
	if (r != GOVERNED_FINE)
		output_message(&t->output, "%s", buf_str(&text));
	t->too_expensive |= r == GOVERNED_STOP;
	if (r == GOVERNED_STOP)
		t->stop = true;
	buf_free(&text);
}

uint64_t govern_patience(const struct dtr *t, uint64_t timeout)
{
	uint64_t now = clock_now();

	if (!is_governed(t) || t->govern_due >= now + timeout)
		return timeout;
	return t->govern_due > now ? t->govern_due - now : 0;
}

static void put_thinned(struct dtr *t, struct buf *b, const struct dtr_thinned *n)
{
	buf_printf(b, "  %-16s %10" PRIu64 " %14" PRIu64 " %16" PRIu64 " %14.0f\n", n->probe, n->most, n->run,
		   n->firings, 1.96 * thinned_error(n));
	if (output_printer(&t->output)->thinned)
		output_printer(&t->output)->thinned(&t->output, n, t->ops->governor->spent(t->backend));
}

static void put_slowed(struct buf *b, const struct dtr_thinned *n)
{
	double rate = n->interval ? 1e9 / (double)n->interval : 0;

	if (n->slower > 1)
		buf_printf(b, "  %s: rate lowered from %.4g to %.4g Hz (factor %" PRIu64 ")\n", n->probe, rate,
			   rate / (double)n->slower, n->slower);
}

void govern_report(struct dtr *t)
{
	struct dtr_thinned n;
	struct buf b = { 0 }, slower = { 0 };
	bool any = false;

	for (unsigned i = 0; is_governed(t) && i < t->prog->probes.n; i++) {
		if (!t->ops->governor->thinned(t->backend, i, &n))
			continue;
		if (!any)
			buf_printf(&b, "%s: thinned by -x maxcost: tracing cost %.2f %% of this machine's CPU time\n"
				   "  %-16s %10s %14s %16s %14s\n", t->output.progname,
				   100 * t->ops->governor->spent(t->backend), "probe", "1 in, most", "firings run",
				   "they stand for", "95 %: +-");
		any = true;
		put_thinned(t, &b, &n);
		put_slowed(&slower, &n);
	}
	buf_put(&b, slower.data, slower.len);
	buf_free(&slower);
	if (any)
		output_write_message(&t->output, &b);
	buf_free(&b);
}
