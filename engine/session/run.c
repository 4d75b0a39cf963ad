/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs a compiled program: from BEGIN to END. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "engine/output/picture/picture.h"
#include "engine/output/printer.h"
#include "engine/output/report.h"
#include "engine/output/rest.h"
#include "engine/output/saved.h"
#include "engine/session/about.h"
#include "engine/session/actions.h"
#include "engine/session/cgroups.h"
#include "engine/session/consumer.h"
#include "engine/session/follow.h"
#include "engine/session/govern.h"
#include "engine/session/lateness.h"
#include "engine/session/missing.h"
#include "engine/session/order.h"
#include "engine/session/periodic.h"
#include "engine/session/query.h"
#include "engine/session/session.h"
#include "engine/session/text.h"
#include "providers/perf.h"

/* Runs the probes that belong to a state of the session: BEGIN, END. */
static int session_run(struct dtr *t, enum ir_state state)
{
	for (size_t i = 0; i < t->prog->probes.n; i++) {
		const struct enabled_probe *e = &t->prog->probes.v[i];
		int r;

		if (probe_state(e->probe) != state || !e->func || e->func->ctx != IR_C_RUN)
			continue;
		r = t->ops->run(t->backend, e->func);
		if (r < 0) {
			output_message(&t->output, "failed to run %s: %s", e->probe->name, strerror(-r));
			t->output.failed = true;
			return -1;
		}
	}
	return 0;
}

static bool session_ended(struct dtr *t)
{
	return t->stop || t->ops->state(t->backend) > IR_S_ACTIVE;
}

/* Not before the probes are enabled: an error there has the same reason, and is all that matters. */
static void session_report_unwatched(struct dtr *t)
{
	if (t->unwatched)
		output_message(&t->output, "addresses of short-lived processes will not be resolved: %s",
			       perf_reason(t->unwatched));
}

/* Addresses of processes are resolved long after they were recorded, so mappings are recorded from before the first
 * probe fires. */
static void session_watch(struct dtr *t)
{
	bool (*use)(struct backend *b, struct symbols *s, int64_t target) = NULL;
	int err;

	if (t->ops->symbols && t->ops->symbols->symbols)
		t->symbols.ops = t->ops->symbols->symbols(t->backend, &t->symbols.arg);
	if (t->ops->symbols && t->ops->symbols->kernel) {
		t->symbols.kernel.find = t->ops->symbols->kernel;
		t->symbols.kernel.arg = t->backend;
	}
	if (t->ops->symbols && t->ops->symbols->use)
		use = t->ops->symbols->use;
	if (!t->recording && !names_needed(t->prog) && !(use && use(t->backend, NULL, -1)))
		return;
	err = names_watch(&t->symbols);
	t->unwatched = err;
	if (err == -ENOMEM) {
		t->output.failed = true;	/* the probes will not be enabled */
		session_report_unwatched(t);
	}
	if (use && t->symbols.symbols)
		use(t->backend, t->symbols.symbols, t->env.target);
}

/* Sets the time from which owners in keys have times. */
static void session_owners(struct dtr *t)
{
	const struct backend_symbols *s = t->ops->symbols;

	t->symbols.begun = s && s->owners ? s->owners(t->backend) : 0;
}

static void *session_object(void *arg, uint32_t obj)
{
	struct dtr *t = arg;

	return t->ops->object ? t->ops->object(t->backend, obj) : NULL;
}

static int session_speculations(struct dtr *t)
{
	int r = specs_open(&t->specs, t->prog, t->opts.d.specsize, session_object, t);

	if (r < 0)
		output_message(&t->output, "out of memory");
	return r;
}

int dtr_check(struct dtr *t)
{
	if (!order_allows(t, CALL_dtr_check))
		return -1;
	if (t->ops->code)
		t->ops->code->check(t->prog, &t->opts, &t->diags);
	return session_show_diags(t);
}

/* Reports what runs the script, as dtrace reports its actions: not with -q. */
static void session_describe(struct dtr *t)
{
	bool quiet = t->recording ? t->recording->quiet : t->opts.quiet;
	const struct backend_report *report = t->ops->report;
	struct buf b = { 0 };

	if (report && report->describe && !quiet) {
		report->describe(t->backend, &b);
		output_stderr(&t->output, "%s", buf_str(&b));
	}
	buf_free(&b);
}

/* Returns false after a message. */
static bool session_possible(struct dtr *t)
{
	/* a script without probes never does anything; -Z allows that */
	if (!t->prog->probes.n && !t->opts.d.zdefs) {
		output_message(&t->output, "no probes matched");
		return false;
	}
	return saved_check(&t->output) == 0 && rest_check(&t->output) == 0 && govern_check(t) == 0;
}

static bool session_begins(struct dtr *t)
{
	int before = SESSION_NOT_YET;

	return atomic_compare_exchange_strong(&t->phase, &before, SESSION_BEGUN);
}

/* True if the picture or recording needs program counters or stacks. */
static bool output_shows_code(const struct dtr *t)
{
	bool code = t->recording && t->recording->stacks;

	for (unsigned i = 0; dtr_is_picture(t) && i < t->aggs.n; i++)
		for (unsigned k = 0; k < t->aggs.tables[i].desc->nkeys; k++)
			code |= val_is_code(t->aggs.tables[i].desc->key[k].kind);
	return code;
}

static void session_open_output(struct dtr *t)
{
	struct output *o = &t->output;
	const struct printer *p = output_printer(o);
	struct buf program = { 0 };

	session_describe(t);
	about_begin(t);
	session_watch(t);
	texts_print(t, &program);
	o->buf.failed |= program.failed;
	o->program = arena_memdup(&t->arena, buf_str(&program), program.len + 1);
	o->program_len = program.len;
	buf_free(&program);
	o->engine = t->ops->name;
	o->blind = t->ops->report && t->ops->report->blind && t->ops->report->blind(t->backend);
	o->codeless |= o->blind && output_shows_code(t);
	o->stops = t->ops->report && t->ops->report->stops && t->ops->report->stops(t->backend);
	if (p->begin)
		p->begin(o);
}

/* BEGIN has run: all other probes become active. */
static int session_activate(struct dtr *t)
{
	if (t->ops->start(t->backend, &t->diags) < 0)
		return -1;
	session_report_unwatched(t);
	session_owners(t);
	accounts_begin(&t->accounts, !t->query);
	t->status_due = session_now(t) + t->opts.statusrate;
	session_show_diags(t);		/* warnings */
	return 0;
}

static int session_failed(struct dtr *t)
{
	t->failed = true;
	t->output.failed = true;
	session_show_diags(t);
	return -1;
}

int dtr_go(struct dtr *t)
{
	const struct backend_args args = {
		.arena = &t->arena, .prog = t->prog, .opts = &t->opts, .reason = t->reason,
		.input = t->engine_given ? t->engine_input : t->query, .untraced = t->untraced,
	};
	struct backend *b = NULL;

	if (!order_allows(t, CALL_dtr_go))
		return -1;
	if (!session_possible(t))
		return session_failed(t);
	if (t->ops->open(&b, &args, &t->diags) < 0) {
		t->ops->close(b);
		return session_failed(t);
	}
	t->backend = b;
	accounts_open(&t->accounts, &t->output, t->ops, b);
	session_show_diags(t);		/* warnings */
	if (session_speculations(t) < 0)
		return session_failed(t);
	session_open_output(t);
	if (cgroups_open(t) < 0)
		return session_failed(t);
	/* an output that cannot begin is no reason to let the command run */
	if (t->output.failed || (t->ops->arm && t->ops->arm(b, &t->diags) < 0))
		return session_failed(t);
	session_show_diags(t);		/* warnings */
	follow_open(t);
	session_owners(t);
	if (!session_begins(t))
		return session_failed(t);
	t->ops->set_state(b, IR_S_BEGIN);
	if (session_run(t, IR_S_BEGIN) < 0)
		return session_failed(t);
	return session_ended(t) || session_activate(t) == 0 ? 0 : session_failed(t);
}

bool dtr_traces(const struct dtr *t)
{
	return t->output.stops;
}

/* ns that a pass of the consumer may wait. */
static uint64_t session_timeout(const struct dtr *t)
{
	const uint64_t soon = 2000000;	/* then the records that were too recent can be printed */
	uint64_t timeout = names_patience(&t->symbols, t->opts.switchrate);

	if (t->specs.layout && timeout > t->opts.cleanrate)
		timeout = t->opts.cleanrate;
	if (t->queue.n && timeout > soon && t->opts.bufpolicy == BUF_SWITCH)
		timeout = soon;
	return follow_patience(t, periodic_patience(t, govern_patience(t, timeout)));
}

static void session_report_drops(struct dtr *t)
{
	report_drops(&t->output, t->ops, t->backend, t->specs.dropped);
	t->specs.dropped = 0;
}

/* Runs every `statusrate`. */
static void session_check_status(struct dtr *t)
{
	if (session_now(t) < t->status_due)
		return;
	if (t->ops->refresh)
		t->ops->refresh(t->backend);
	names_cpus(&t->symbols);
	session_report_drops(t);
	t->status_due = session_now(t) + t->opts.statusrate;
}

enum dtr_work dtr_work(struct dtr *t)
{
	struct output *o = &t->output;

	if (!order_allows(t, CALL_dtr_work))
		return DTR_ERROR;
	if (o->phase == OUTPUT_PENDING) {
		o->phase = OUTPUT_ACTIVE;
		output_flush(o);	/* a recording begins */
	}
	if (session_ended(t))
		return DTR_DONE;
	if (consumer_pass(t, session_timeout(t), CONSUME_SETTLED) < 0)
		return DTR_ERROR;
	follow_pass(t);
	session_check_status(t);
	govern_pass(t);
	periodic_pass(t);
	output_check_reader(o);
	if (o->closed || o->failed)
		return o->closed ? DTR_DONE : DTR_ERROR;
	return t->retention.filled || session_ended(t) ? DTR_DONE : DTR_MORE;
}

void dtr_stop(struct dtr *t)
{
	struct backend *b;

	if (!order_is_owner(t))
		return;
	t->stop = true;
	b = t->backend;
	if (b)
		t->ops->wake(b);
}

void dtr_target_gone(struct dtr *t)
{
	dtr_stop(t);
}

/* Before a probe fires for the last time at the end, everything it has recorded is printed. */
static void session_catch_up(struct dtr *t)
{
	const struct timespec settle = { .tv_nsec = 2000000 };

	for (size_t i = 0; i < t->prog->probes.n; i++) {
		const struct enabled_probe *e = &t->prog->probes.v[i];
		const struct provider_clock *clock = e->probe->prov->clock;

		if (clock && clock->last && e->func && e->func->ctx == IR_C_RUN && t->ops->printed &&
		    t->ops->state(t->backend) == IR_S_ACTIVE) {
			nanosleep(&settle, NULL);
			consumer_pass(t, 0, CONSUME_SETTLED);
			return;
		}
	}
}

void dtr_omit(struct dtr *t)
{
	for (unsigned i = 0; i < t->aggs.n; i++)
		t->aggs.printed[i] = true;
}

/* What was written is incomplete, so the session fails. */
static void session_report_codeless(struct dtr *t)
{
	if (!t->output.codeless || t->output.failed)
		return;
	output_stderr(&t->output, "error: the %s is " PICTURE_CODELESS, dtr_is_picture(t) ? "picture" :
		      t->recording ? "recording" : "report");
	t->output.failed = true;
}

int dtr_finish(struct dtr *t)
{
	struct backend *b = t->backend;

	if (!order_allows(t, CALL_dtr_finish))
		return -1;
	if (!b || t->finished)
		return t->output.failed ? -1 : 0;
	t->finished = true;
	t->output.phase = OUTPUT_ENDING;
	session_catch_up(t);
	/* Earlier records are printed before END runs, so that their printa() does not show changes by END. */
	t->ops->set_state(b, IR_S_DRAINING);
	follow_end(t);
	t->ops->disarm(b);
	accounts_end(&t->accounts);
	consumer_pass(t, 0, CONSUME_ALL);
	t->ops->set_state(b, IR_S_END);
	session_run(t, IR_S_END);
	t->ops->set_state(b, IR_S_STOPPED);
	follow_close(t);
	consumer_pass(t, 0, CONSUME_ALL);
	about_end(t);
	action_print_rest(t);
	output_flush(&t->output);
	saved_write(&t->output);
	lateness_report(t);
	report_repeated(&t->output);
	session_report_drops(t);
	missing_report(t);
	follow_report(t);
	query_report(t);
	accounts_report(&t->accounts);
	accounts_report_cost(&t->accounts);
	govern_report(t);
	t->output.failed |= t->too_expensive;
	t->output.status = t->ops->exit_status(b);
	if (output_printer(&t->output)->end)
		output_printer(&t->output)->end(&t->output);
	output_flush(&t->output);
	session_report_codeless(t);
	return t->output.failed ? -1 : 0;
}
