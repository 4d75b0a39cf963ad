/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/accounts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "engine/host/cpus.h"
#include "engine/host/idle.h"
#include "engine/output/printer.h"

enum {
	WARN_FIRINGS = 10,	/* fewer are not worth a warning: a short run loses as many */
	WARN_PERCENT = 1,
};

void accounts_open(struct accounts *l, struct output *o, const struct backend_ops *ops, struct backend *b)
{
	*l = (struct accounts){ .o = o, .ops = ops, .b = b, .nprobes = o->prog->probes.n };
	o->accounts = l;
}

bool accounts_get(const struct accounts *l, unsigned i, int cpu, struct dtr_account *out, bool *beyond)
{
	*beyond = i >= l->nprobes || !l->ops->accounts;
	return !*beyond && l->ops->accounts->account(l->b, i, cpu, out);
}

bool accounts_get_cost(const struct accounts *l, unsigned i, struct dtr_cost *out)
{
	const struct backend_accounts *a = l->ops ? l->ops->accounts : NULL;

	return a && a->cost && a->cost(l->b, i, out);
}

static uint64_t timeval_ns(struct timeval v)
{
	return (uint64_t)v.tv_sec * 1000000000u + (uint64_t)v.tv_usec * 1000u;
}

static uint64_t cpu_time(void)
{
	struct rusage r;

	return getrusage(RUSAGE_SELF, &r) ? 0 : timeval_ns(r.ru_utime) + timeval_ns(r.ru_stime);
}

void accounts_begin(struct accounts *l, bool here)
{
	l->time = clock_now();
	l->spent = cpu_time();
	if (!l->ops->accounts || l->o->opts->ledger != LEDGER_WARN || !here)
		return;
	l->ncpus = cpus_possible();
	l->idle = arena_calloc(l->o->arena, l->ncpus, sizeof *l->idle);
	idle_read(l->idle, l->ncpus);
}

void accounts_end(struct accounts *l)
{
	uint64_t *idle;

	if (!l->idle)
		return;
	idle = arena_calloc(l->o->arena, l->ncpus, sizeof *idle);
	idle_read(idle, l->ncpus);
	for (unsigned i = 0; i < l->ncpus; i++)
		l->idle[i] = idle[i] > l->idle[i] ? idle[i] - l->idle[i] : 0;
}

/* ---- the warning ---- */

/* Firings of offline CPUs, and of threads that ran for less than an interval, are not missing. */
static uint64_t account_missing(const struct dtr_account *a)
{
	uint64_t parts = a->lost[DTR_LOST_PARTS] > 0 ? (uint64_t)a->lost[DTR_LOST_PARTS] : 0;
	uint64_t none = (uint64_t)a->lost[DTR_LOST_OFFLINE] + parts, due = a->expected > none ? a->expected - none : 0;

	return due > a->delivered ? due - a->delivered : 0;
}

/* How many of the missing firings of probe i idle CPUs explain. */
static uint64_t account_idle(const struct accounts *l, unsigned i, const struct dtr_account *a)
{
	uint64_t sum = 0;
	struct dtr_account one;
	bool beyond;

	if (a->lost[DTR_LOST_IDLE] > 0)
		return (uint64_t)a->lost[DTR_LOST_IDLE];
	for (unsigned cpu = 0; a->each_cpu && l->idle && cpu < l->ncpus; cpu++)
		if (accounts_get(l, i, (int)cpu, &one, &beyond))
			sum += idle_explains(account_missing(&one), l->idle[cpu], a->interval);
	return sum;
}

/* Firings that idle CPUs do not explain. */
static uint64_t account_lost(const struct accounts *l, unsigned i, const struct dtr_account *a)
{
	uint64_t missing = account_missing(a), idle = account_idle(l, i, a);

	return missing > idle ? missing - idle : 0;
}

static bool is_profile(const char *probe)
{
	static const char profile[] = "profile-";

	return !strncmp(probe, profile, strlen(profile));
}

bool accounts_lost(const struct accounts *l, uint64_t *lost, uint64_t *due)
{
	bool beyond = false, any = false;
	struct dtr_account a;

	*lost = *due = 0;
	if (!l->idle)
		return false;
	for (unsigned i = 0; !beyond; i++) {
		if (!accounts_get(l, i, -1, &a, &beyond) || !is_profile(a.probe))
			continue;
		*lost += account_lost(l, i, &a);
		*due += a.expected;
		any = true;
	}
	return any;
}

/* The account of the first probe profile-N. */
static bool account_profile(const struct accounts *l, int cpu, struct dtr_account *out)
{
	bool beyond = false;

	for (unsigned i = 0; !beyond; i++)
		if (accounts_get(l, i, cpu, out, &beyond) && is_profile(out->probe))
			return true;
	return false;
}

bool accounts_missing(const struct accounts *l, int cpu, uint64_t sampled, struct accounts_missing *out)
{
	struct dtr_account a;
	uint64_t missing, idle;

	*out = (struct accounts_missing){ 0 };
	if (!l || !l->ops || l->o->opts->ledger == LEDGER_OFF || !account_profile(l, cpu, &a) ||
	    (cpu >= 0 && !a.each_cpu))
		return false;
	missing = account_missing(&a);
	idle = a.lost[DTR_LOST_IDLE] > 0 ? (uint64_t)a.lost[DTR_LOST_IDLE] : 0;
	if (!idle && l->idle && cpu >= 0 && (unsigned)cpu < l->ncpus && a.interval)
		idle = l->idle[cpu] / a.interval > sampled ? l->idle[cpu] / a.interval - sampled : 0;
	out->idle = idle < missing ? idle : missing;
	out->lost = missing - out->idle;
	return true;
}

bool accounts_missing_of(const struct accounts *l, uint64_t interval, struct accounts_missing *out)
{
	bool beyond = false, any = false;
	struct dtr_account a;

	*out = (struct accounts_missing){ 0 };
	if (!l || !l->ops || l->o->opts->ledger == LEDGER_OFF)
		return false;
	for (unsigned i = 0; !beyond; i++) {
		if (!accounts_get(l, i, -1, &a, &beyond) || !is_profile(a.probe) || a.interval != interval)
			continue;
		out->lost += account_lost(l, i, &a);
		out->idle += account_missing(&a) - account_lost(l, i, &a);
		any = true;
	}
	return any;
}

static void warn_of_losses(struct accounts *l)
{
	struct dtr_account a;
	bool beyond = false;

	for (unsigned i = 0; !beyond; i++) {
		uint64_t lost, due;

		if (!accounts_get(l, i, -1, &a, &beyond))
			continue;
		lost = account_lost(l, i, &a);
		due = a.delivered + account_missing(&a);
		if (lost < WARN_FIRINGS || lost * 100 <= due * WARN_PERCENT)
			continue;
		output_message(l->o, "warning: %s: %" PRIu64 " of %" PRIu64 " firings (%.1f %%) were not delivered%s; "
			       "-x ledger accounts for them", a.probe, lost, due, 100.0 * (double)lost / (double)due,
			       account_idle(l, i, &a) ? ", not counting those of idle CPUs" : "");
	}
}

/* ---- the table ---- */

/* The causes (enum dtr_loss), then columns that are not losses. */
enum { COL_MADE_UP = DTR_NLOSSES, COL_RECORDS, COL_COUNT };

static const char *const heads[COL_COUNT] = {
	[DTR_LOST_IDLE] = "idle", [DTR_LOST_OFFLINE] = "offline", [DTR_LOST_LATE] = "late",
	[DTR_LOST_THROTTLED] = "throttled", [DTR_LOST_NESTED] = "nested", [DTR_LOST_OWN] = "snapshots",
	[DTR_LOST_STOPPED] = "stopped", [DTR_LOST_REFUSED] = "refused",
	[DTR_LOST_FULL] = "full", [DTR_LOST_PARTS] = "parts",
	[DTR_LOST_UNKNOWN] = "unexplained", [COL_MADE_UP] = "(made-up)",
	[COL_RECORDS] = "(records-lost)",
};

static int64_t column_of(const struct dtr_account *a, int col)
{
	if (col == COL_MADE_UP)
		return (int64_t)a->made_up;
	return col == COL_RECORDS ? (int64_t)a->records_lost : a->lost[col];
}

static int column_width(int col)
{
	return strlen(heads[col]) > 9 ? (int)strlen(heads[col]) : 9;
}

/* Calls fn for each account: the sum of a probe; with `cpus` then those of its CPUs that have firings. */
static void each_account(const struct accounts *l, bool cpus, void (*fn)(void *arg, const struct dtr_account *a),
			 void *arg)
{
	bool beyond = false, none = false;
	struct dtr_account sum, one;

	for (unsigned i = 0; !beyond; i++) {
		if (!accounts_get(l, i, -1, &sum, &beyond))
			continue;
		fn(arg, &sum);
		for (int cpu = 0; cpus && accounts_get(l, i, cpu, &one, &none); cpu++) {
			if (one.expected || one.delivered)
				fn(arg, &one);
		}
	}
}

struct accounts_table {
	struct buf buf;
	bool shown[COL_COUNT];
	bool causes, any;
	struct output *output;
};

/* The columns of the causes that occur. */
static void table_note_columns(void *arg, const struct dtr_account *a)
{
	struct accounts_table *t = arg;

	t->any = true;
	t->causes |= a->causes && a->each_cpu;
	for (int i = 0; i < COL_COUNT; i++)
		t->shown[i] |= column_of(a, i) != 0;
}

static void table_add_row(void *arg, const struct dtr_account *a)
{
	struct accounts_table *t = arg;
	double part = a->expected ? 100.0 * (double)a->delivered / (double)a->expected : 100;
	char cpu[16] = "all";

	if (a->cpu >= 0)
		snprintf(cpu, sizeof cpu, "%d", a->cpu);
	buf_printf(&t->buf, "  %-16s %4s %12" PRIu64 " %12" PRIu64 " %5.1f %%", a->probe, cpu, a->expected,
		   a->delivered, part);
	for (int i = 0; i < COL_COUNT; i++) {
		if (t->shown[i])
			buf_printf(&t->buf, " %*" PRId64, column_width(i), column_of(a, i));
	}
	buf_putc(&t->buf, '\n');
	if (output_printer(t->output)->account)
		output_printer(t->output)->account(t->output, a);
}

static void message_write(struct accounts *l, struct buf *b)
{
	output_write_message(l->o, b);
	buf_free(b);
}

static void report_firings(struct accounts *l)
{
	bool cpus = l->o->opts->ledger == LEDGER_CPU;
	struct accounts_table table = { .output = l->o };

	if (!l->ops->accounts) {
		output_message(l->o, "ledger: the engine '%s' loses no firings", l->o->engine);
		return;
	}
	each_account(l, cpus, table_note_columns, &table);
	if (!table.any) {
		output_message(l->o, "ledger: no clock-driven probe was enabled");
		return;
	}
	buf_printf(&table.buf, "%s: ledger of firings:\n", l->o->progname);
	buf_printf(&table.buf, "  %-16s %4s %12s %12s %7s", "probe", "cpu", "expected", "delivered", "");
	for (int i = 0; i < COL_COUNT; i++) {
		if (table.shown[i])
			buf_printf(&table.buf, " %*s", column_width(i),
				   i == DTR_LOST_UNKNOWN && !table.causes ? "missing" : heads[i]);
	}
	buf_putc(&table.buf, '\n');
	each_account(l, cpus, table_add_row, &table);
	message_write(l, &table.buf);
}

/* ---- user stacks ---- */
static void report_stacks(struct accounts *l)
{
	struct dtr_stacks n;
	struct buf b = { 0 };
	uint64_t whole;

	if (!l->ops->accounts || !l->ops->accounts->stacks || !l->ops->accounts->stacks(l->b, &n) || !n.all)
		return;
	whole = n.all - stacks_lacking(&n);
	buf_printf(&b, "%s: user stacks: %" PRIu64 ", %" PRIu64 " (%.2f %%) with all frames; %" PRIu64
		   " walked in the kernel, %" PRIu64 " unwound by %s", l->o->progname, n.all, whole,
		   100.0 * (double)whole / (double)n.all, n.walked, n.unwound, l->o->progname);
	if (whole < n.all)
		buf_puts(&b, "; ");
	stacks_text(&n, &b);
	buf_putc(&b, '\n');
	if (output_printer(l->o)->stacks)
		output_printer(l->o)->stacks(l->o, &n);
	message_write(l, &b);
}

void accounts_report(struct accounts *l)
{
	if (l->o->opts->ledger == LEDGER_WARN)
		warn_of_losses(l);
	else if (l->o->opts->ledger != LEDGER_OFF) {
		report_firings(l);
		report_stacks(l);
	}
}

/* ---- cost ---- */

static void cost_add_row(struct accounts *l, struct buf *b, const struct dtr_cost *c, uint64_t time)
{
	buf_printf(b, "  %-16s ", c->probe);
	if (c->runs)
		buf_printf(b, "%12" PRIu64 " %10.1f", c->runs, (double)c->ns / (double)c->runs);
	else
		buf_printf(b, "%12s %10s", "-", "-");
	buf_printf(b, " %12.3f %10.3f %%\n", (double)c->ns / 1e6, time ? 100.0 * (double)c->ns / (double)time : 0);
	if (output_printer(l->o)->cost)
		output_printer(l->o)->cost(l->o, c, time);
}

void accounts_report_cost(struct accounts *l)
{
	uint64_t time = clock_now() - l->time, spent = cpu_time() - l->spent;
	struct dtr_cost c;
	struct buf b = { 0 };

	if (!l->o->opts->cost)
		return;
	if (!l->ops->accounts || !l->ops->accounts->cost) {
		output_message(l->o, "cost: the engine '%s' runs no programs in the kernel", l->o->engine);
		return;
	}
	if (!l->time)
		return;
	buf_printf(&b, "%s: cost over %.3f s:\n", l->o->progname, (double)time / 1e9);
	buf_printf(&b, "  %-16s %12s %10s %12s %12s\n", "probe", "firings", "ns each", "ms", "of one CPU");
	for (unsigned i = 0; accounts_get_cost(l, i, &c); i++)
		cost_add_row(l, &b, &c, time);
	cost_add_row(l, &b, &(struct dtr_cost){ .probe = "dtr itself", .ns = spent }, time);
	message_write(l, &b);
}
