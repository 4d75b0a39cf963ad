/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a session owes its user about itself: the firings that did not come, and what it all has cost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/host/cpus.h"
#include "engine/host/idle.h"
#include "engine/output/printer.h"
#include "engine/session/session.h"

enum {
	WARN_FIRINGS = 10,	/* fewer are no loss worth a word: a run of a moment would cry */
	WARN_PERCENT = 1,
};

bool dtr_account(const struct dtr *t, unsigned i, int cpu, struct dtr_account *out, bool *beyond)
{
	*beyond = !t->prog || i >= t->prog->probes.n || !t->ops->account || !t->backend;
	return !*beyond && t->ops->account(t->backend, i, cpu, out);
}

bool dtr_cost(const struct dtr *t, unsigned i, struct dtr_cost *out)
{
	return t->prog && t->ops->cost && t->backend && t->ops->cost(t->backend, i, out);
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

void ledger_begin(struct dtr *t)
{
	t->begun.time = clock_now();
	t->begun.spent = cpu_time();
	if (!t->ops->account || t->opts.ledger != LEDGER_WARN || t->query)	/* a recording is of other CPUs */
		return;
	t->begun.ncpus = cpus_possible();
	t->begun.idle = arena_calloc(&t->arena, t->begun.ncpus, sizeof *t->begun.idle);
	idle_read(t->begun.idle, t->begun.ncpus);
}

void ledger_end(struct dtr *t)
{
	uint64_t *idle;

	if (!t->begun.idle)
		return;
	idle = arena_calloc(&t->arena, t->begun.ncpus, sizeof *idle);
	idle_read(idle, t->begun.ncpus);
	for (unsigned i = 0; i < t->begun.ncpus; i++)
		t->begun.idle[i] = idle[i] > t->begun.idle[i] ? idle[i] - t->begun.idle[i] : 0;
}

/* ---- the warning ---- */

/* A CPU that is offline owes nothing, nor does a thread for less than an interval. */
static uint64_t account_missing(const struct dtr_account *a)
{
	uint64_t parts = a->lost[DTR_LOST_PARTS] > 0 ? (uint64_t)a->lost[DTR_LOST_PARTS] : 0;
	uint64_t none = (uint64_t)a->lost[DTR_LOST_OFFLINE] + parts, due = a->expected > none ? a->expected - none : 0;

	return due > a->delivered ? due - a->delivered : 0;
}

/* Of those of probe i, how many idle CPUs explain. */
static uint64_t account_idle(const struct dtr *t, unsigned i, const struct dtr_account *a)
{
	uint64_t sum = 0;
	struct dtr_account one;
	bool beyond;

	if (a->lost[DTR_LOST_IDLE] > 0)
		return (uint64_t)a->lost[DTR_LOST_IDLE];
	for (unsigned cpu = 0; a->each_cpu && t->begun.idle && cpu < t->begun.ncpus; cpu++)
		if (dtr_account(t, i, (int)cpu, &one, &beyond))
			sum += idle_explains(account_missing(&one), t->begun.idle[cpu], a->interval);
	return sum;
}

static void warn_about(struct dtr *t, unsigned i, const struct dtr_account *a)
{
	uint64_t missing = account_missing(a), idle = account_idle(t, i, a), lost = missing > idle ? missing - idle : 0;
	uint64_t due = a->delivered + missing;

	if (lost < WARN_FIRINGS || lost * 100 <= due * WARN_PERCENT)
		return;
	session_message(t, "warning: %s: %" PRIu64 " of %" PRIu64 " firings (%.1f %%) were not delivered%s; "
			"-x ledger accounts for them", a->probe, lost, due, 100.0 * (double)lost / (double)due,
			idle ? ", not counting those of idle CPUs" : "");
}

static void warn_all(struct dtr *t)
{
	struct dtr_account a;
	bool beyond = false;

	for (unsigned i = 0; !beyond; i++) {
		if (dtr_account(t, i, -1, &a, &beyond))
			warn_about(t, i, &a);
	}
}

/* ---- the table ---- */

/* By enum dtr_loss, then what are no losses. */
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

static void table_row(struct buf *b, const struct dtr_account *a, const bool shown[COL_COUNT])
{
	double part = a->expected ? 100.0 * (double)a->delivered / (double)a->expected : 100;
	char cpu[16] = "all";

	if (a->cpu >= 0)
		snprintf(cpu, sizeof cpu, "%d", a->cpu);
	buf_printf(b, "  %-16s %4s %12" PRIu64 " %12" PRIu64 " %5.1f %%", a->probe, cpu, a->expected, a->delivered, part);
	for (int i = 0; i < COL_COUNT; i++) {
		if (shown[i])
			buf_printf(b, " %*" PRId64, column_width(i), column_of(a, i));
	}
	buf_putc(b, '\n');
}

static void table_head(struct buf *b, const bool shown[COL_COUNT], bool causes)
{
	buf_printf(b, "  %-16s %4s %12s %12s %7s", "probe", "cpu", "expected", "delivered", "");
	for (int i = 0; i < COL_COUNT; i++) {
		if (shown[i])
			buf_printf(b, " %*s", column_width(i), i == DTR_LOST_UNKNOWN && !causes ? "missing" : heads[i]);
	}
	buf_putc(b, '\n');
}

/* Calls for each account: the sum of a probe, and with `cpus` those of its CPUs that owe something behind it. */
static void each_account(const struct dtr *t, bool cpus, void (*fn)(void *arg, const struct dtr_account *a), void *arg)
{
	bool beyond = false, none = false;
	struct dtr_account sum, one;

	for (unsigned i = 0; !beyond; i++) {
		if (!dtr_account(t, i, -1, &sum, &beyond))
			continue;
		fn(arg, &sum);
		for (int cpu = 0; cpus && dtr_account(t, i, cpu, &one, &none); cpu++) {
			if (one.expected || one.delivered)
				fn(arg, &one);
		}
	}
}

struct table {
	struct buf buf;
	bool shown[COL_COUNT];
	bool causes, any;
	struct dtr *session;
};

static void table_look(void *arg, const struct dtr_account *a)
{
	struct table *t = arg;

	t->any = true;
	t->causes |= a->causes && a->each_cpu;
	for (int i = 0; i < COL_COUNT; i++)
		t->shown[i] |= column_of(a, i) != 0;
}

static void table_add(void *arg, const struct dtr_account *a)
{
	struct table *t = arg;

	table_row(&t->buf, a, t->shown);
	if (session_printer(t->session)->account)
		session_printer(t->session)->account(t->session, a);
}

static void show(struct dtr *t, struct buf *b)
{
	session_write(t, b);
	buf_free(b);
}

static void show_table(struct dtr *t)
{
	bool cpus = t->opts.ledger == LEDGER_CPU;
	struct table table = { .session = t };

	if (!t->ops->account) {
		session_message(t, "ledger: the engine '%s' loses no firings", t->ops->name);
		return;
	}
	each_account(t, cpus, table_look, &table);
	if (!table.any) {
		session_message(t, "ledger: no clock-driven probe was enabled");
		return;
	}
	buf_printf(&table.buf, "%s: ledger of firings:\n", t->cfg.progname);
	table_head(&table.buf, table.shown, table.causes);
	each_account(t, cpus, table_add, &table);
	show(t, &table.buf);
}

void report_ledger(struct dtr *t)
{
	if (t->opts.ledger == LEDGER_WARN)
		warn_all(t);
	else if (t->opts.ledger != LEDGER_OFF)
		show_table(t);
}

/* ---- cost ---- */

static void cost_row(struct buf *b, const char *name, uint64_t runs, uint64_t ns, uint64_t time)
{
	buf_printf(b, "  %-16s ", name);
	if (runs)
		buf_printf(b, "%12" PRIu64 " %10.1f", runs, (double)ns / (double)runs);
	else
		buf_printf(b, "%12s %10s", "-", "-");
	buf_printf(b, " %12.3f %10.3f %%\n", (double)ns / 1e6, time ? 100.0 * (double)ns / (double)time : 0);
}

static void cost_one(struct dtr *t, struct buf *b, const struct dtr_cost *c, uint64_t time)
{
	cost_row(b, c->probe, c->runs, c->ns, time);
	if (session_printer(t)->cost)
		session_printer(t)->cost(t, c, time);
}

void report_cost(struct dtr *t)
{
	uint64_t time = clock_now() - t->begun.time, spent = cpu_time() - t->begun.spent;
	struct dtr_cost c;
	struct buf b = { 0 };

	if (!t->opts.cost)
		return;
	if (!t->ops->cost) {
		session_message(t, "cost: the engine '%s' runs no programs in the kernel", t->ops->name);
		return;
	}
	if (!t->begun.time)
		return;
	buf_printf(&b, "%s: cost over %.3f s:\n", t->cfg.progname, (double)time / 1e9);
	buf_printf(&b, "  %-16s %12s %10s %12s %12s\n", "probe", "firings", "ns each", "ms", "of one CPU");
	for (unsigned i = 0; dtr_cost(t, i, &c); i++)
		cost_one(t, &b, &c, time);
	cost_one(t, &b, &(struct dtr_cost){ .probe = "dtr itself", .ns = spent }, time);
	show(t, &b);
}
