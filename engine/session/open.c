/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens and closes a session; functions that set its inputs or return its properties. */
#include <stdlib.h>
#include <unistd.h>

#include "engine/output/printer.h"
#include "engine/programs/programs.h"
#include "engine/session/actions.h"
#include "engine/session/cgroups.h"
#include "engine/session/order.h"
#include "engine/session/pages.h"
#include "engine/session/query.h"
#include "engine/session/session.h"
#include "engine/session/periodic.h"
#include "engine/session/snapshot.h"
#include "engine/session/text.h"

static void message_default(void *arg, const char *text)
{
	(void)arg;
	fputs(text, stderr);
}

static ssize_t output_discard(void *cookie, const char *text, size_t n)
{
	(void)cookie, (void)text;
	return (ssize_t)n;
}

/* Replaces what the caller left out. Returns false without memory. */
static bool session_defaults(struct dtr *t)
{
	struct dtr_config *c = &t->cfg;

	if (!c->progname)
		c->progname = "dtr";
	if (!c->message)
		c->message = message_default;
	if (!c->share)
		c->share = PKGDATADIR;
	if (!c->out_name)
		c->out_name = "output";
	if (!c->out)
		c->out = t->discarded = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = output_discard });
	return c->out;
}

struct dtr *dtr_open(const struct dtr_config *c)
{
	struct dtr *t;

	if (!c) {
		message_default(NULL, "dtr: dtr_open(): the configuration is missing\n");
		return NULL;
	}
	t = calloc(1, sizeof *t);
	if (t)
		t->cfg = *c;
	if (!t || !session_defaults(t)) {
		free(t);
		if (c->oom)
			c->oom(c->arg);
		return NULL;
	}
	c = &t->cfg;
	t->output = (struct output){
		.progname = c->progname, .share = c->share, .file = c->out, .name = c->out_name,
		.message = c->message, .oom = c->oom, .arg = c->arg, .arena = &t->arena, .opts = &t->opts,
		.symbols = &t->symbols,
	};
	t->owner = getpid();
	t->ops = &backend_bpf;
	arena_init(&t->arena, c->oom, c->arg);
	arena_init(&t->symbols.texts.arena, c->oom, c->arg);
	diags_init(&t->diags, &t->arena);
	options_init(&t->opts);
	t->env.target = -1;
	probe_set_init(&t->probes, &t->arena);
	t->probes.programs = &programs_ops;
	t->probes.code = t->programs = programs_open(&t->arena);
	probe_set_enumerate(&t->probes);
	return t;
}

/* Writes what was reported before there were records, or instead of them. */
static void session_flush_reports(struct dtr *t)
{
	struct output *o = &t->output;
	const struct printer *p = output_printer(o);

	if (!t->finished && (o->failed || t->diags.nerrors) && p->end) {
		o->failed = true;
		p->end(o);
	}
	output_flush(o);
}

void dtr_close(struct dtr *t)
{
	if (!t)
		return;
	if (order_is_owner(t))
		session_flush_reports(t);
	if (t->backend)
		t->ops->close(t->backend);
	query_close(t);
	snapshot_close(t);
	periodic_close(t);
	pages_close(t);
	actions_close(t);
	if (t->comp_open)
		compiler_close(&t->comp);
	programs_close(t->programs);
	names_close(&t->symbols);
	cgroups_close(t);
	queue_free(&t->queue);
	buf_free(&t->whole);
	specs_free(&t->specs);
	retain_free(&t->retention);
	output_close(&t->output);
	if (t->discarded)
		fclose(t->discarded);
	arena_free(&t->arena);
	free(t);
}

void dtr_records(struct dtr *t, void (*record)(void *arg, const struct dtr_record *r), void *arg)
{
	if (!order_allows(t, CALL_dtr_records))
		return;
	t->receiver.fn = record;
	t->receiver.arg = arg;
}

void dtr_arguments(struct dtr *t, const char *argv0, const char **args, unsigned n)
{
	if (!order_allows(t, CALL_dtr_arguments))
		return;
	t->env.argv0 = argv0;
	t->env.args = args;
	t->env.nargs = n;
}

void dtr_target(struct dtr *t, pid_t pid, enum dtr_target what)
{
	if (!order_allows(t, CALL_dtr_target))
		return;
	t->owned = what != DTR_TARGET_RUNS;
	t->untraced = what == DTR_TARGET_PRIVILEGED;
	_Static_assert((int)DTR_TARGETS == (int)ENV_TARGETS, "the most targets");

	if (t->targets.n == DTR_TARGETS)
		return;
	*VEC_ADD(&t->arena, &t->targets) = pid;
	t->env.targets = t->probes.targets = t->targets.v;
	t->env.ntargets = t->probes.ntargets = t->targets.n;
	t->env.target = t->probes.target = t->targets.v[0];
}

void dtr_subject(struct dtr *t, const char *text, const char *program)
{
	if (!order_allows(t, CALL_dtr_subject))
		return;
	t->subject.text = text;
	t->subject.program = program;
}

_Static_assert((int)DTR_PROBE == (int)SPEC_PROBE && (int)DTR_PROVIDER == (int)SPEC_PROVIDER &&
	       (int)DTR_MODULE == (int)SPEC_MODULE && (int)DTR_FUNCTION == (int)SPEC_FUNCTION &&
	       (int)DTR_ID == (int)SPEC_ID, "enum dtr_text");

int dtr_add_text(struct dtr *t, const char *text, enum dtr_text what)
{
	struct script_text *x;

	if (!order_allows(t, CALL_dtr_add_text) || !order_given(t, CALL_dtr_add_text, text, "the text"))
		return -1;
	x = text_from_argument(t, text, (enum source_spec)what);
	if (!x)
		return -1;
	*VEC_ADD(&t->arena, &t->texts) = x;
	return 0;
}

void dtr_add_script(struct dtr *t, const char *text, const char *name)
{
	if (order_allows(t, CALL_dtr_add_script) && order_given(t, CALL_dtr_add_script, text, "the text"))
		*VEC_ADD(&t->arena, &t->texts) = text_named(t, text, name ? name : "a script");
	else if (t && order_is_owner(t) && !t->backend)
		t->output.failed = true;	/* dtr_parse returns -1 */
}

int dtr_add_file(struct dtr *t, const char *path, const char *name)
{
	struct script_text *x;

	if (!order_allows(t, CALL_dtr_add_file) || !order_given(t, CALL_dtr_add_file, path, "the path"))
		return -1;
	x = text_from_file(t, path, name);
	if (!x)
		return -1;
	*VEC_ADD(&t->arena, &t->texts) = x;
	return 0;
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
	return t->output.writes;
}

bool dtr_is_ending(const struct dtr *t)
{
	return t->finished;
}

bool dtr_for_people(const struct dtr *t)
{
	return !output_printer(&t->output)->pure;
}

bool dtr_is_picture(const struct dtr *t)
{
	return output_printer(&t->output)->aggregations;
}

bool dtr_picture(const struct dtr *t, struct dtr_picture *out)
{
	const struct backend_report *report = t->backend ? t->ops->report : NULL;

	*out = t->output.drawn;
	out->marked = report && report->unwound && report->unwound(t->backend);
	out->accounted = accounts_lost(&t->accounts, &out->lost, &out->due);
	return out->value;
}

bool dtr_quiet(const struct dtr *t)
{
	return t->opts.quiet;
}

int dtr_status(const struct dtr *t)
{
	return output_status(&t->output);
}

bool dtr_account(const struct dtr *t, unsigned i, int cpu, struct dtr_account *out, bool *beyond)
{
	return accounts_get(&t->accounts, i, cpu, out, beyond);
}

bool dtr_cost(const struct dtr *t, unsigned i, struct dtr_cost *out)
{
	return accounts_get_cost(&t->accounts, i, out);
}
