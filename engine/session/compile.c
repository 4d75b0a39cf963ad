/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stages from D text to a program, in order. */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/bpf/pidns_level.h"
#include "engine/host/pidns.h"
#include "engine/output/printer.h"
#include "engine/run/backend.h"
#include "engine/session/actions.h"
#include "engine/session/cgroups.h"
#include "engine/session/engine.h"
#include "engine/session/library.h"
#include "engine/session/order.h"
#include "engine/session/session.h"
#include "engine/session/text.h"
#include "lang/check/needs.h"

int dtr_option(struct dtr *t, const char *name, const char *value)
{
	char reason[256];

	if (!order_allows(t, CALL_dtr_option) || !order_given(t, CALL_dtr_option, name, "the name"))
		return -1;
	/* Set now to report errors at once; session_options sets it again after the script's own options. */
	if (option_set(&t->opts, name, value, reason, sizeof reason) < 0) {
		output_message(&t->output, "%s", reason);
		return -1;
	}
	VEC_ADD(&t->arena, &t->given)->name = name;
	t->given.v[t->given.n - 1].value = value;
	return 0;
}

int dtr_environment(struct dtr *t, char **environ_)
{
	char reason[256];

	if (!order_allows(t, CALL_dtr_environment) ||
	    !order_given(t, CALL_dtr_environment, environ_, "the environment"))
		return -1;
	if (options_from_env(&t->opts, environ_, reason, sizeof reason) < 0) {
		output_message(&t->output, "%s", reason);
		return -1;
	}
	t->environment = environ_;
	return 0;
}

/* Applies the environment, then the script's pragmas, then the command line: later settings override earlier ones. */
static int session_options(struct dtr *t)
{
	struct script *s = t->comp.script;
	char reason[256];
	int r = 0;

	options_init(&t->opts);
	options_from_env(&t->opts, t->environment, reason, sizeof reason);	/* checked by dtr_environment */
	for (size_t i = 0; i < s->options.n; i++) {
		if (option_set(&t->opts, s->options.v[i].name, s->options.v[i].value, reason, sizeof reason) < 0)
			r = diag(&t->diags, s->options.v[i].loc, D_PRAGMA_OPTSET, "%s", reason);
	}
	for (size_t i = 0; i < t->given.n; i++)
		option_set(&t->opts, t->given.v[i].name, t->given.v[i].value, reason, sizeof reason);
	return r;
}

/* Samples (the rootless engine, recordings) already have the process IDs of this name space; tasks of the kernel do
 * not. */
static uint32_t session_pidns(const struct dtr *t)
{
	uint64_t dev;

	return t->ops == &backend_bpf ? pidns_inode(&dev) : 0;
}

/* The height of the terminal that text is printed on. */
static uint32_t session_lines(const struct dtr *t)
{
	struct winsize w;
	int fd = t->output.file && dtr_for_people(t) ? fileno(t->output.file) : -1;

	return fd >= 0 && isatty(fd) && ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_row : 0;
}

/* True if a clause names probes in a process. */
static bool session_in_process(const struct compiler *c)
{
	for (const struct clause *cl = c->script->clauses; cl; cl = cl->next)
		for (size_t i = 0; i < cl->specs.n; i++)
			if (probe_in_process(&cl->specs.v[i]))
				return true;
	return false;
}

/* Probes in a process can only be found after it has loaded its libraries. */
enum dtr_point dtr_starts_at(const struct dtr *t)
{
	static const enum dtr_point points[] = {
		[EVAL_EXEC] = DTR_AT_EXEC, [EVAL_PREINIT] = DTR_AT_PREINIT, [EVAL_POSTINIT] = DTR_AT_POSTINIT,
		[EVAL_MAIN] = DTR_AT_MAIN,
	};

	if (t->opts.evaltime == EVAL_AUTO)
		return t->comp_open && session_in_process(&t->comp) ? DTR_AT_PREINIT : DTR_AT_EXEC;
	return points[t->opts.evaltime];
}

/* Options of the command line override those of the script. */
static const char *const *session_fixed(struct dtr *t)
{
	const char **names = arena_calloc(&t->arena, t->given.n + 1, sizeof *names);

	for (size_t i = 0; i < t->given.n; i++)
		names[i] = t->given.v[i].name;
	return names;
}

static struct compile_env session_env(struct dtr *t)
{
	struct compile_env env = t->env;

	env.fixed = session_fixed(t);
	env.pidns = session_pidns(t);
	env.pidns_level = pidns_level;
	env.own_types = engine_lays_out(t->ops);
	env.lines = session_lines(t);
	env.tables = t->ops == &backend_bpf && t->opts.unwind != UNWIND_FP;
	/* as in DTrace, text does not show where stacks are truncated; a kept session has one program for all
	 * formats */
	env.mark_truncated = t->opts.aggsave || t->ops == &backend_kept ||
			     output_printer(&t->output) != &printer_text;
	env.keep_native = t->recording;
	env.cgroups = cgroups_controller;
	env.cgroups_arg = t;
	return env;
}

/* Opens the compiler and parses the libraries. */
static void session_open_compiler(struct dtr *t)
{
	const char *lib = t->opts.syslibdir ? t->opts.syslibdir : t->cfg.share;
	struct compile_env env;

	if (lib && !t->opts.nolibs)
		t->env.prelude = arena_printf(&t->arena, "%s/prelude.d", lib);
	env = session_env(t);
	env.own_types |= !t->engine_given;	/* the engine is chosen after parsing */
	compiler_init(&t->comp, &t->arena, &t->diags, &t->probes, &t->opts.d, &env);
	t->comp_open = true;
	if (!t->opts.nolibs && library_load(t) < 0)
		t->output.failed = true;
}

/* The options of the texts are known now; the choice of the engine depends on them. */
static void session_settle(struct dtr *t)
{
	const struct compiler *c = &t->comp;
	struct compile_env env;

	session_options(t);
	t->opts.d.thin = t->opts.maxcost;
	t->rather_user |= needs_only_clocks(c) && needs_kernel_types(c);
	if (!t->recording)
		t->by_timers = needs_only_clocks(c) && needs_timers(c);
	session_engine(t);
	t->env.refused = *t->reason && !needs_only_clocks(c) ? t->reason : NULL;
	env = session_env(t);
	lang_settle(&t->comp, &t->opts.d, &env);
}

int dtr_parse(struct dtr *t)
{
	if (!order_allows(t, CALL_dtr_parse))
		return -1;
	if (!t->comp_open) {
		session_open_compiler(t);
		for (size_t i = 0; i < t->texts.n; i++) {
			*VEC_ADD(&t->arena, &t->comp.texts) = &t->texts.v[i]->src;
			lang_parse(&t->comp, &t->texts.v[i]->src);
		}
		session_settle(t);
	}
	return session_show_diags(t) | (t->output.failed ? -1 : 0);
}

/* -x cutmark: strings of traced data of the size of strsize. */
static void session_mark_strings(struct dtr *t)
{
	const uint32_t full = ((uint32_t)t->opts.d.strsize + 7) & ~7u;

	for (size_t i = 0; i < t->prog->epids.n; i++) {
		const struct epid_desc *e = &t->prog->epids.v[i];

		for (unsigned k = 0; k < e->nacts; k++)
			for (unsigned n = 0; n < e->acts[k].nfields; n++) {
				struct val_field *f = &e->acts[k].fields[n];

				f->marked = f->kind == VAL_STR && f->origin == VAL_DATA && f->size == full;
			}
	}
}

int dtr_compile(struct dtr *t)
{
	if (!order_allows(t, CALL_dtr_compile))
		return -1;
	if (dtr_parse(t) < 0)
		return -1;
	if (t->opts.d.onlytarget && t->env.target <= 0)
		diag(&t->diags, (struct loc){ 0 }, D_PRAGMA_OPTSET,
		     "option 'onlytarget': there is no target: use -p PID or -c COMMAND");
	else
		lang_compile(&t->comp, STAGE_OPTIMISED);
	if (session_show_diags(t) < 0)
		return -1;
	t->prog = t->comp.prog;
	session_options_changed(t);
	if (t->opts.cutmark)
		session_mark_strings(t);
	actions_open(t);
	return 0;
}
