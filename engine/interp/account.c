/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/interp/account.h"

#include <string.h>

void fired_add(struct fired *f, const struct sample *s, uint64_t n, bool active)
{
	if (!active) {
		f->after += n;
		return;
	}
	f->delivered += n;
	f->made_up += s->mode == SAMPLE_MODE_UNKNOWN || s->arg[0] == SAMPLE_HIDDEN_PC ? n : 0;
}

static void fired_sum(const struct account_probe *p, int cpu, struct fired *out)
{
	memset(out, 0, sizeof *out);
	for (unsigned i = 0; i < p->ncpus; i++) {
		if (cpu >= 0 && (unsigned)cpu != i)
			continue;
		out->delivered += p->by_cpu[i].delivered;
		out->made_up += p->by_cpu[i].made_up;
		out->after += p->by_cpu[i].after;
		out->lost += p->by_cpu[i].lost;
		out->lost_after += p->by_cpu[i].lost_after;
	}
}

/* Attributes up to `most` of the missing firings to a cause. */
static void loss_attribute(struct dtr_account *a, enum dtr_loss cause, double most, int64_t *missing)
{
	int64_t n = (int64_t)(most + 0.5);

	a->lost[cause] = n < *missing ? n : *missing > 0 ? *missing : 0;
	*missing -= a->lost[cause];
}

/* Uses the source's number of firings due. Samples that did not fit are known exactly; other missing firings are
 * attributed to the known causes in turn. */
static void account_due(const struct source_account *src, const struct fired *f, struct dtr_account *out)
{
	uint64_t after = f->after + f->lost_after, full = src->full > f->lost_after ? src->full - f->lost_after : 0;
	int64_t missing, parts = (int64_t)src->parts, more = (int64_t)src->more;

	out->expected = (uint64_t)(src->due + 0.5);
	out->expected -= after < out->expected ? after : out->expected;
	out->lost[DTR_LOST_FULL] = (int64_t)full;
	missing = (int64_t)(out->expected - out->delivered - full);
	loss_attribute(out, DTR_LOST_THROTTLED, src->throttled, &missing);
	loss_attribute(out, DTR_LOST_IDLE, src->idle, &missing);
	/* the source's clock may differ slightly from the kernel's */
	if (!src->parted && missing == -1) {
		out->expected++;
		missing = 0;
	}
	if (src->parted)
		out->lost[DTR_LOST_PARTS] = missing > parts ? parts : missing < -more ? -more : missing;
	out->lost[DTR_LOST_UNKNOWN] = missing - out->lost[DTR_LOST_PARTS];
}

bool account_sampler(const struct account_probe *p, int cpu, struct dtr_account *out)
{
	struct source_account src = { 0 };
	struct fired f;
	int wanted = cpu < 0 ? p->only_cpu : cpu;

	if ((cpu >= 0 && (unsigned)cpu >= p->ncpus) || (p->only_cpu >= 0 && cpu >= 0 && cpu != p->only_cpu))
		return false;
	if (p->ops->account && !p->ops->account(p->source, p->rate, wanted, &src))
		return false;
	fired_sum(p, wanted, &f);
	out->delivered = f.delivered;
	out->made_up = f.made_up;
	out->interval = p->interval;
	out->each_cpu = !src.parted;
	if (p->ops->account) {
		account_due(&src, &f, out);
		return true;
	}
	out->expected = f.delivered + f.lost;
	out->lost[DTR_LOST_FULL] = (int64_t)f.lost;
	return true;
}

void account_tick(uint64_t fired, uint64_t interval, uint64_t begun, uint64_t ended, struct dtr_account *out)
{
	out->interval = interval;
	out->delivered = fired;
	out->expected = ended > begun ? (ended - begun) / interval : 0;
	/* exit() in the tick's own clause ends the session exactly when the tick is due */
	if (out->expected < fired)
		out->expected = fired;
	out->lost[DTR_LOST_LATE] = (int64_t)(out->expected - fired);
	out->causes = true;
}
