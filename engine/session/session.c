/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A session: the stages from D text to output, in order. */
#include "engine/session/session.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "engine/host/pidns.h"
#include "engine/output/picture/picture.h"
#include "engine/output/printer.h"
#include "engine/output/recorder.h"
#include "engine/output/saved.h"
#include "engine/session/control.h"
#include "engine/session/engine.h"
#include "engine/session/lacks.h"
#include "engine/session/library.h"
#include "engine/session/text.h"

struct dtr *dtr_open(const struct dtr_config *c)
{
	struct dtr *t = calloc(1, sizeof *t);

	if (!t) {
		if (c->oom)
			c->oom(c->arg);
		return NULL;
	}
	t->cfg = *c;
	t->ops = c->backend ? c->backend : &backend_bpf;
	arena_init(&t->arena, c->oom, c->arg);
	arena_init(&t->symbols.texts.arena, c->oom, c->arg);
	diags_init(&t->diags, &t->arena);
	options_init(&t->opts);
	t->env.target = -1;
	probe_set_init(&t->probes, &t->arena);
	probe_set_enumerate(&t->probes);
	return t;
}

/* What was told before there were records, or instead of them. */
static void session_last_words(struct dtr *t)
{
	const struct printer *p = session_printer(t);

	if (!t->finished && (t->failed || t->diags.nerrors) && p->end) {
		t->failed = true;
		p->end(t);
	}
	consumer_flush(t);
}

void dtr_close(struct dtr *t)
{
	if (!t)
		return;
	session_last_words(t);
	if (t->backend)
		t->ops->close(t->backend);
	recorder_close(t);
	query_close(t);
	for (unsigned i = 0; i < t->ntables; i++)
		agg_table_free(&t->tables[i]);
	if (t->comp_open)
		compiler_close(&t->comp);
	names_close(&t->symbols);
	queue_free(&t->queue);
	specs_free(&t->specs);
	control_restore(t);
	picture_close(t);
	keep_free(&t->keep);
	flow_close(&t->flow);
	buf_free(&t->out);
	buf_free(&t->json.record);
	buf_free(&t->json.rows);
	arena_free(&t->arena);
	free(t);
}

void session_write(struct dtr *t, const struct buf *text)
{
	struct buf safe = { 0 };
	char failed[64];

	escape_puts(&safe, buf_str(text), ESCAPE_TEXT);
	snprintf(failed, sizeof failed, "%s: out of memory\n", t->cfg.progname);
	t->cfg.message(t->cfg.arg, safe.failed || text->failed ? failed : buf_str(&safe));
	buf_free(&safe);
}

/* One line, whatever names there are in it. */
static void message(struct dtr *t, const struct buf *text)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s: ", t->cfg.progname);
	escape_puts(&b, buf_str(text), ESCAPE_LINE);
	buf_putc(&b, '\n');
	b.failed |= text->failed;
	session_write(t, &b);
	buf_free(&b);
}

void session_message(struct dtr *t, const char *fmt, ...)
{
	const struct printer *p = session_printer(t);
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	message(t, &b);
	if (p->message)
		p->message(t, buf_str(&b));
	buf_free(&b);
}

void session_tell(struct dtr *t, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	message(t, &b);
	buf_free(&b);
}

int session_show_diags(struct dtr *t)
{
	const struct printer *p = session_printer(t);
	struct buf b = { 0 };

	for (; t->shown < t->diags.list.n; t->shown++) {
		buf_reset(&b);
		diag_print(&b, &t->diags.list.v[t->shown], t->cfg.progname, t->opts.errtags);
		session_write(t, &b);
		if (p->diag)
			p->diag(t, &t->diags.list.v[t->shown]);
	}
	buf_free(&b);
	return t->diags.nerrors ? -1 : 0;
}

/* ---- what is given before compiling ---- */

int dtr_option(struct dtr *t, const char *name, const char *value)
{
	char why[256];

	/* Set now, so that what is wrong is told at once; set again behind the script's own options. */
	if (option_set(&t->opts, name, value, why, sizeof why) < 0) {
		session_message(t, "%s", why);
		return -1;
	}
	VEC_ADD(&t->arena, &t->given)->name = name;
	t->given.v[t->given.n - 1].value = value;
	return 0;
}

int dtr_environment(struct dtr *t, char **environ_)
{
	char why[256];

	if (options_from_env(&t->opts, environ_, why, sizeof why) < 0) {
		session_message(t, "%s", why);
		return -1;
	}
	t->environment = environ_;
	return 0;
}

void dtr_arguments(struct dtr *t, const char *argv0, const char **args, unsigned n)
{
	t->env.argv0 = argv0;
	t->env.args = args;
	t->env.nargs = n;
}

void dtr_target(struct dtr *t, pid_t pid)
{
	t->env.target = pid;
}

void dtr_subject(struct dtr *t, const char *text, const char *program)
{
	t->subject.text = text;
	t->subject.program = program;
}

int dtr_add_text(struct dtr *t, const char *text, const char *what)
{
	struct text *x = text_from_argument(t, text, what);

	if (!x)
		return -1;
	*VEC_ADD(&t->arena, &t->texts) = x;
	return 0;
}

int dtr_add_file(struct dtr *t, const char *path)
{
	struct text *x = text_from_file(t, path);

	if (!x)
		return -1;
	*VEC_ADD(&t->arena, &t->texts) = x;
	return 0;
}

/* ---- compiling ---- */

/* Environment, then the script's pragmas, then the command line: the later wins. */
static int session_options(struct dtr *t)
{
	struct script *s = t->comp.script;
	char why[256];
	int r = 0;

	options_init(&t->opts);
	options_from_env(&t->opts, t->environment, why, sizeof why);	/* checked by dtr_environment */
	for (size_t i = 0; i < s->options.n; i++) {
		if (option_set(&t->opts, s->options.v[i].name, s->options.v[i].value, why, sizeof why) < 0)
			r = diag(&t->diags, s->options.v[i].loc, D_PRAGMA_OPTSET, "%s", why);
	}
	for (size_t i = 0; i < t->given.n; i++)
		option_set(&t->opts, t->given.v[i].name, t->given.v[i].value, why, sizeof why);
	return r;
}

void session_engine(struct dtr *t)
{
	if (!t->cfg.backend)
		t->ops = engine_choose(&t->opts, t->query, t->reason, sizeof t->reason);
}

/* Samples (the rootless engine, recordings) already have the process IDs of this name space; the kernel's tasks do not. */
static uint32_t session_pidns(const struct dtr *t)
{
	uint64_t dev;

	return t->ops == &backend_bpf ? pidns_inode(&dev) : 0;
}

/* Of the terminal, where people read what is printed. */
static uint32_t session_lines(const struct dtr *t)
{
	struct winsize w;
	int fd = t->cfg.out && dtr_for_people(t) ? fileno(t->cfg.out) : -1;

	return fd >= 0 && isatty(fd) && ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_row : 0;
}

/* An option of the command line overrides the script's. */
static void session_set_option(void *arg, struct d_options *d, const char *name, const char *value)
{
	const struct dtr *t = arg;
	struct options o = t->opts;
	char why[256];

	o.d = *d;
	option_set(&o, name, value, why, sizeof why);	/* session_options() reports errors */
	for (size_t i = 0; i < t->given.n; i++)
		if (!strcmp(t->given.v[i].name, name))
			option_set(&o, name, t->given.v[i].value, why, sizeof why);
	*d = o.d;
}

static struct compile_env session_env(struct dtr *t);

/* The options of the texts are known: they decide about the engine, too. */
static void session_parsed(void *arg, struct compiler *c)
{
	struct dtr *t = arg;

	session_options(t);
	session_engine(t);
	c->opts = t->opts.d;
	c->env = session_env(t);
}

static struct compile_env session_env(struct dtr *t)
{
	struct compile_env env = t->env;

	env.set_option = session_set_option;
	env.parsed = session_parsed;
	env.arg = t;
	env.pidns = session_pidns(t);
	env.lines = session_lines(t);
	/* as in DTrace, text does not show where stacks are truncated */
	env.mark_truncated = t->opts.aggsave || session_printer(t) != &printer_text;
	return env;
}

/* Opens the compiler and gives it the libraries and the texts. */
static void session_compiler(struct dtr *t)
{
	const char *lib = t->opts.syslibdir ? t->opts.syslibdir : t->cfg.share;
	struct compile_env env;

	if (lib && !t->opts.nolibs)
		t->env.prelude = arena_printf(&t->arena, "%s/prelude.d", lib);
	env = session_env(t);
	compiler_init(&t->comp, &t->arena, &t->diags, &t->probes, &t->opts.d, &env);
	t->comp_open = true;
	if (!t->opts.nolibs && library_load(t) < 0)
		t->failed = true;
	for (size_t i = 0; i < t->texts.n; i++)
		*VEC_ADD(&t->arena, &t->comp.texts) = &t->texts.v[i]->src;
}

int session_compile(struct dtr *t, enum compile_stage last)
{
	if (!t->comp_open)
		session_compiler(t);
	lang_compile(&t->comp, t->failed ? STAGE_PARSED : last);
	t->prog = t->comp.prog;
	return session_show_diags(t) | (t->failed ? -1 : 0);
}

uint64_t session_now(struct dtr *t)
{
	struct timespec ts;

	if (t->ops->now)
		return t->ops->now(t->backend);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

void session_options_changed(struct dtr *t)
{
	uint64_t due = t->status_due ? session_now(t) + t->opts.statusrate : 0;

	t->symbols.indent = t->opts.stackindent;
	if (due < t->status_due)
		t->status_due = due;
}

static void session_make_tables(struct dtr *t)
{
	struct script *s = t->prog->script;

	session_options_changed(t);
	t->names = (struct val_names){ .arg = &t->symbols, .show = names_show, .addr = names_addr, .settle = names_settle,
				       .target = t->env.target < 0 ? -1 : t->env.target | (int64_t)VAL_OWNER_NEXT };
	t->ntables = s->agglist.n;
	t->tables = arena_calloc(&t->arena, t->ntables, sizeof *t->tables);
	t->printed = arena_calloc(&t->arena, t->ntables, sizeof *t->printed);
	for (unsigned i = 0; i < t->ntables; i++)
		agg_table_init(&t->tables[i], s->agglist.v[i]);
	for (unsigned i = 0; i < t->ntables; i++)
		t->tables[i].names = &t->names;
}

int dtr_compile(struct dtr *t)
{
	if (session_compile(t, STAGE_OPTIMISED) < 0)
		return -1;
	session_make_tables(t);
	return 0;
}

/* ---- running ---- */

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
			session_message(t, "failed to run %s: %s", e->probe->name, strerror(-r));
			t->failed = true;
			return -1;
		}
	}
	return 0;
}

static bool session_ended(struct dtr *t)
{
	return t->stop || t->ops->state(t->backend) > IR_S_ACTIVE;
}

/* Addresses of processes are named long after they were recorded: what is mapped is noted from before the first probe on. */
static void session_watch(struct dtr *t)
{
	int err;

	if (t->ops->symbols)
		t->symbols.ops = t->ops->symbols(t->backend, &t->symbols.arg);
	if (!t->recorder && !names_needed(t->prog))
		return;
	err = names_watch(&t->symbols);
	t->failed |= err == -ENOMEM;
	if (err)
		session_message(t, "addresses of short-lived processes will not be resolved: %s", strerror(-err));
}

/* Keys with addresses of processes say since when these have their names. */
static void session_owners(struct dtr *t)
{
	t->symbols.begun = t->ops->owners ? t->ops->owners(t->backend) : 0;
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
		session_message(t, "out of memory");
	return r;
}

int dtr_check(struct dtr *t)
{
	if (t->ops->check)
		t->ops->check(t->prog, &t->opts, &t->diags);
	return session_show_diags(t);
}

/* As dtrace tells what it does: not where only the script's own output is wanted. */
static void session_describe(struct dtr *t)
{
	struct buf b = { 0 };

	if (t->ops->describe && !t->opts.quiet) {
		t->ops->describe(t->backend, &b);
		session_tell(t, "%s", buf_str(&b));
	}
	buf_free(&b);
}

/* Nothing could ever happen. With -Z that is what was asked for. */
static int session_enabled(struct dtr *t)
{
	if (t->prog->probes.n || t->opts.d.zdefs)
		return 0;
	session_message(t, "no probes matched");
	return -1;
}

static bool session_begins(struct dtr *t)
{
	int before = SESSION_NOT_YET;

	return atomic_compare_exchange_strong(&t->phase, &before, SESSION_BEGUN);
}

int dtr_go(struct dtr *t)
{
	const struct backend_args args = {
		.arena = &t->arena, .prog = t->prog, .opts = &t->opts, .reason = t->reason,
		.input = t->cfg.backend ? t->cfg.backend_arg : t->query,
	};
	struct backend *b = NULL;

	if (session_enabled(t) < 0 || saved_check(t) < 0) {
		t->failed = true;
		return -1;
	}
	if (t->ops->open(&b, &args, &t->diags) < 0) {
		t->failed = true;
		session_show_diags(t);
		t->ops->close(b);
		return -1;
	}
	t->backend = b;
	session_show_diags(t);		/* warnings */
	if (session_speculations(t) < 0)
		goto failed;
	session_describe(t);
	about_begin(t);
	session_watch(t);
	if (session_printer(t)->begin)
		session_printer(t)->begin(t);
	if (t->ops->arm && t->ops->arm(b, &t->diags) < 0)
		goto failed;
	session_owners(t);
	if (!session_begins(t))
		goto failed;
	t->ops->set_state(b, IR_S_BEGIN);
	if (session_run(t, IR_S_BEGIN) < 0)
		goto failed;
	if (session_ended(t))
		return 0;
	if (t->ops->start(b, &t->diags) < 0)
		goto failed;
	session_owners(t);
	ledger_begin(t);
	t->status_due = session_now(t) + t->opts.statusrate;
	session_show_diags(t);		/* warnings */
	return 0;
failed:
	t->failed = true;
	session_show_diags(t);
	return -1;
}

/* Is there still someone who reads? A pipe without readers says so without a write. */
static void session_look_at_output(struct dtr *t)
{
	struct pollfd p = { .fd = fileno(t->cfg.out) };

	if (p.fd >= 0 && poll(&p, 1, 0) > 0 && (p.revents & POLLERR))
		t->gone = true;
}

enum dtr_work dtr_work(struct dtr *t)
{
	/* What is kept back because it is too young is old enough soon. */
	uint64_t soon = 2000000, timeout = names_patience(&t->symbols, t->opts.switchrate);
	int r;

	if (!t->working) {
		t->working = true;
		consumer_flush(t);	/* a recording begins */
	}
	if (session_ended(t))
		return DTR_DONE;
	if (t->specs.layout && timeout > t->opts.cleanrate)
		timeout = t->opts.cleanrate;
	if (t->queue.n && timeout > soon && t->opts.bufpolicy == BUF_SWITCH)
		timeout = soon;
	r = consumer_pass(t, timeout, false);
	if (r < 0 && r != -EINTR && r != -EAGAIN) {
		session_message(t, "failed to read records: %s", strerror(-r));
		t->failed = true;
		return DTR_ERROR;
	}
	if (session_now(t) >= t->status_due) {
		t->ops->refresh(t->backend);
		names_cpus(&t->symbols);
		report_drops(t);
		t->status_due = session_now(t) + t->opts.statusrate;
	}
	session_look_at_output(t);
	if (t->gone || t->failed)
		return t->gone ? DTR_DONE : DTR_ERROR;
	if (t->keep.filled)
		return DTR_DONE;
	return session_ended(t) ? DTR_DONE : DTR_MORE;
}

void dtr_stop(struct dtr *t)
{
	struct backend *b;

	t->stop = true;
	b = t->backend;
	if (b)
		t->ops->wake(b);
}

bool dtr_cancel(struct dtr *t)
{
	int before = SESSION_NOT_YET;

	return atomic_compare_exchange_strong(&t->phase, &before, SESSION_CANCELLED);
}

bool dtr_is_cancelled(const struct dtr *t)
{
	return t->phase == SESSION_CANCELLED;
}

unsigned dtr_writes(const struct dtr *t)
{
	return t->writes;
}

bool dtr_is_ending(const struct dtr *t)
{
	return t->finished;
}

void dtr_target_gone(struct dtr *t)
{
	dtr_stop(t);
}

/* A probe that fires once more at the end finds all printed that it has recorded before. */
static void session_catch_up(struct dtr *t)
{
	const struct timespec settle = { .tv_nsec = 2000000 };

	for (size_t i = 0; i < t->prog->probes.n; i++) {
		const struct enabled_probe *e = &t->prog->probes.v[i];

		const struct provider_clock *clock = e->probe->prov->clock;

		if (clock && clock->last && e->func && e->func->ctx == IR_C_RUN && t->ops->printed &&
		    t->ops->state(t->backend) == IR_S_ACTIVE) {
			nanosleep(&settle, NULL);
			consumer_pass(t, 0, false);
			return;
		}
	}
}

int dtr_finish(struct dtr *t)
{
	struct backend *b = t->backend;

	if (!b || t->finished)
		return t->failed ? -1 : 0;
	t->finished = true;
	session_catch_up(t);
	/* What fired before is printed before END runs, so that a printa() of theirs does not show END's doings. */
	t->ops->set_state(b, IR_S_DRAINING);
	t->ops->disarm(b);
	ledger_end(t);
	consumer_pass(t, 0, true);
	t->ops->set_state(b, IR_S_END);
	session_run(t, IR_S_END);
	t->ops->set_state(b, IR_S_STOPPED);
	consumer_pass(t, 0, true);
	action_print_rest(t);
	consumer_flush(t);
	saved_write(t);
	report_drops(t);
	lacks_tell(t);
	query_report(t);
	report_ledger(t);
	report_cost(t);
	t->status = t->ops->exit_status(b);
	if (session_printer(t)->end)
		session_printer(t)->end(t);
	consumer_flush(t);
	return t->failed ? -1 : 0;
}

bool dtr_for_people(const struct dtr *t)
{
	return !session_printer(t)->pure;
}

bool dtr_is_picture(const struct dtr *t)
{
	return session_printer(t)->aggregations;
}

bool dtr_quiet(const struct dtr *t)
{
	return t->opts.quiet;
}

int dtr_status(const struct dtr *t)
{
	if (t->failed)
		return 1;
	return t->status & 0xff;
}
