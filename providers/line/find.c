/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Descriptions -> probes: finds statements in the line tables of files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "providers/line/line.h"
#include "providers/registry.h"

enum { REASON = 200 };

/* One description while its probes are being created. */
struct line_find {
	struct probe_set *set;
	struct line_state *state;
	const struct probe_spec *spec;
	const char *provname;
	int64_t pid;
	const struct program_module *module;
	bool file, function;		/* one was found that the description means */
	uint32_t next;			/* the nearest line after the wanted one at which a statement begins; 0: none */
	size_t found;
	VEC(const char *) own;		/* source files of the program that are meant */
	struct probe_follow *follow;	/* the program runs; NULL: it is being compiled */
	const char *why;		/* a statement that is named exactly cannot be probed */
	struct probe_answer to;
};

static bool is_pattern(const char *s)
{
	return !*s || probe_is_glob(s);
}

/* ---- names ---- */
/* The probe at the entry of a function, instead of a line. */
static const char entry_name[] = "entry";

static bool means_entry(const struct probe_spec *spec)
{
	return !strcmp(spec->name, entry_name);
}

/* The name of a source file, or the end of its path. In descriptions '/' begins a predicate, unless it begins a
 * path: "lib?list.c". */
static bool file_matches(const char *pattern, const char *path)
{
	if (probe_glob(pattern, path))
		return true;
	for (const char *end = path; (end = strchr(end, '/')); end++)
		if (probe_glob(pattern, end + 1))
			return true;
	return false;
}

/* plain: the name in its language, or NULL; its parameters may be left out. */
static bool function_matches(const char *pattern, const char *function, const char *plain)
{
	size_t n = strlen(pattern);

	return probe_glob(pattern, function) ||
	       (plain && (probe_glob(pattern, plain) || (!strncmp(plain, pattern, n) && plain[n] == '(')));
}

static const char *plain_name(struct line_find *f, const char *function)
{
	return program_encoded(function) ? f->set->programs->plain(f->set->code, function) : NULL;
}

static bool line_number_matches(const char *pattern, uint32_t line)
{
	char name[16];

	snprintf(name, sizeof name, "%" PRIu32, line);
	return probe_glob(pattern, name);
}

/* ---- probes ---- */

/* A source file with the same name as another one is named by its path; a line that is also in another module (a
 * function in a header) by both. */
static const char *module_name(struct line_find *f, const struct program_statement *s, unsigned attempt)
{
	switch (attempt) {
	case 0:
		return path_base(s->file);
	case 1:
		return s->file;
	default:
		return arena_printf(f->set->arena, "%s`%s", f->module->name, s->file);
	}
}

/* The probe of a statement, new or not; NULL: there is no room. */
static struct probe *named_probe(struct line_find *f, const struct program_statement *s,
				 const struct probe_names *names)
{
	struct code_gate *gate = &f->state->gate;
	struct probe *p = probe_named(f->set, names);
	struct line_probe *d;

	if (p)
		return p;
	if (f->follow) {
		p = code_fill(gate, f->module, names);
		if (!p)
			return NULL;
		d = line_probe_of(p);
	} else {
		d = arena_alloc(f->set->arena, sizeof *d);
		p = probe_add(f->set, &provider_line, names, d);
		*d = (struct line_probe){ .code.module = f->module };
		code_join(gate, p, f->pid);
	}
	d->file = arena_strdup(f->set->arena, s->file);
	d->line = s->line;
	d->entry = means_entry(f->spec);
	d->search = f->state->searches;
	if (plain_name(f, s->function))
		d->plain = arena_strdup(f->set->arena, plain_name(f, s->function));
	if (f->follow)
		code_filled(gate, p, f->follow);
	return p;
}

static struct line_probe *probe_of(struct line_find *f, const struct program_statement *s)
{
	char number[16];

	snprintf(number, sizeof number, "%" PRIu32, s->line);
	for (unsigned i = f->set->linepaths;; i++) {
		const struct probe_names names = {
			f->provname, module_name(f, s, i), s->function, means_entry(f->spec) ? entry_name : number,
		};
		struct probe *p = named_probe(f, s, &names);
		struct line_probe *d = p ? line_probe_of(p) : NULL;

		if (!d || i == 2 || (!strcmp(d->file, s->file) && d->code.module->file == f->module->file))
			return d;
	}
}

static void add_site(struct line_find *f, struct line_probe *d, const struct program_statement *s)
{
	struct code_probe *c = &d->code;

	if (c->nsites == d->room) {
		size_t room = d->room ? 2 * d->room : 1;
		struct code_site *v = arena_alloc(f->set->arena, room * sizeof *v);

		if (c->nsites)
			memcpy(v, c->site, c->nsites * sizeof *v);
		c->site = v;
		d->room = room;
	}
	c->site[c->nsites++] = (struct code_site){
		.off = s->off, .at = s->at, .block = s->block, .cheapest = s->cheapest,
	};
}

/* ---- statements ---- */
static bool is_own(const struct line_find *f, const char *path)
{
	for (size_t i = 0; i < f->own.n; i++)
		if (!strcmp(f->own.v[i], path))
			return true;
	return false;
}

static void note_own(struct line_find *f, const struct program_statement *s)
{
	if (f->module->program && !is_own(f, s->file))
		*VEC_ADD(f->set->arena, &f->own) = arena_strdup(f->set->arena, s->file);
}

/* If the program has such statements, only the same source files are meant in libraries: headers. */
static bool is_wanted(void *arg, const char *path)
{
	const struct line_find *f = arg;

	if (!f->module->program && f->own.n)
		return is_own(f, path);
	return file_matches(f->spec->mod, path);
}

static void leave_out(struct line_find *f, const struct program_statement *s)
{
	const char *text = arena_printf(f->set->arena, "%s:%s:%" PRIu32 ": %s", path_base(s->file), s->function,
					s->line, s->why);

	if (!is_pattern(f->spec->name)) {
		f->why = text;
		return;
	}
	code_leave_out(&f->state->code, text);
}

static void take_statement(void *arg, const struct program_statement *s)
{
	struct line_find *f = arg;
	struct line_probe *d;

	f->file = true;
	if (*f->spec->mod)
		note_own(f, s);
	if (!function_matches(f->spec->func, s->function, plain_name(f, s->function)))
		return;
	f->function = true;
	if (means_entry(f->spec) ? !s->entry : !line_number_matches(f->spec->name, s->line)) {
		if (s->line > strtoul(f->spec->name, NULL, 10) && (!f->next || s->line < f->next))
			f->next = s->line;
		return;
	}
	if (s->why) {
		leave_out(f, s);
		return;
	}
	f->found++;
	if (!*f->spec->mod)
		note_own(f, s);
	d = probe_of(f, s);
	if (d && d->search == f->state->searches)
		add_site(f, d, s);
}

/* ---- messages ---- */
static int no_line(struct line_find *f)
{
	const char *func = f->spec->func;
	char next[64] = "";

	if (means_entry(f->spec))
		return probe_refuse(&f->to, D_PROC_NAME, "no statement of %s begins function '%s'",
				    *f->spec->mod ? f->spec->mod : "a source file", func);
	if (f->next)
		snprintf(next, sizeof next, "; the next one begins at line %" PRIu32, f->next);
	return probe_refuse(&f->to, D_PROC_NAME, "no statement begins at line %s of %s%s%s%s%s", f->spec->name,
			    f->spec->mod, *func ? " in function '" : "", func, *func ? "'" : "", next);
}

/* Nothing was found. */
static int not_found(struct line_find *f)
{
	const struct probe_spec *s = f->spec;

	if (!f->file && !is_pattern(s->mod))
		return probe_refuse(&f->to, D_PROC_LIB, "no source file '%s' in the debugging information of process %"
				    PRId64 " and its libraries", s->mod, f->pid);
	if (f->file && !f->function && !is_pattern(s->func))
		return probe_refuse(&f->to, D_PROC_FUNC, "failed to lookup '%s' in source file%s%s%s", s->func,
				    is_pattern(s->mod) ? "s " : " '", *s->mod ? s->mod : "*", is_pattern(s->mod) ? ""
				    : "'");
	if (f->function && !is_pattern(s->name))
		return no_line(f);
	snprintf(f->to.reason, f->to.room, "no statements of process %" PRId64 " match it", f->pid);
	return 0;
}

/* ---- processes ---- */

/* Returns 0, or -errno with the reason: the file has no debugging information. */
static int per_module(struct line_find *f, const struct program_module *m, char reason[REASON])
{
	f->module = m;
	return f->set->programs->statements(f->set->code, m, f->set->lineblocks, is_wanted, take_statement, f, reason,
					    REASON);
}

static int provide_process(struct line_find *f)
{
	const struct program_module *m, *program;
	char reason[REASON];
	bool bare = false;
	size_t n;

	if (f->set->programs->modules(f->set->code, f->pid, &m, &n, reason, sizeof reason) < 0)
		return probe_refuse(&f->to, D_PROC_GRAB, "failed to grab process %" PRId64 ": %s", f->pid, reason);
	module_list_add(f->set->arena, &f->state->code.seen, f->pid, m, n);
	program = module_program(m, n);
	if (program)
		bare = per_module(f, program, reason) < 0;
	for (size_t i = 0; i < n; i++) {
		char ignored[REASON];

		if (&m[i] != program)
			per_module(f, &m[i], ignored);
	}
	if (f->why)
		return probe_refuse(&f->to, D_PROC_CREATEFAIL, "failed to create probe at %s", f->why);
	if (f->found)
		return 1;
	if (bare && !f->file)
		return probe_refuse(&f->to, D_PROC_LIB, "process %" PRId64 " (%s) has no debugging information: %s",
				    f->pid, program->path, reason);
	return not_found(f);
}

int line_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		 size_t n)
{
	struct line_find f = {
		.set = s, .state = line_state_of(s), .spec = spec, .pid = probe_process(spec, self),
		.to = { s, reason, n },
	};

	int r;

	if (f.pid <= 0)
		return probe_refuse(&f.to, D_PROC_BADPID, "'%s' does not contain a valid pid%s", spec->prov,
				    probe_process_hint(spec));
	if (!s->programs)
		return probe_refuse(&f.to, D_PROC_GRAB, "failed to grab process %" PRId64 ": not available here",
				    f.pid);
	if (!is_pattern(spec->name) && !means_entry(spec) && spec->name[strspn(spec->name, "0123456789")])
		return probe_refuse(&f.to, D_PROC_NAME, "'%s' is an invalid probe name: the name is the number of a "
				    "line, or 'entry'", spec->name);
	if (is_pattern(spec->mod) && !*spec->mod && is_pattern(spec->func))
		return probe_refuse(&f.to, D_PROC_NAME, "the line provider needs a source file or a function: line%"
				    PRId64 ":FILE:FUNCTION:LINE", f.pid);
	f.state->searches++;
	f.provname = arena_printf(s->arena, "line%" PRId64, f.pid);
	r = provide_process(&f);
	if (!f.found)
		spec_list_add(s->arena, &f.state->code.specs, spec);
	return r;
}

bool line_matches(const struct probe *p, const struct probe_spec *spec)
{
	const struct line_probe *d = line_probe_of(p);

	return d->file && probe_glob(spec->prov, p->provname) &&
	       (file_matches(spec->mod, d->file) || probe_glob(spec->mod, p->mod)) &&
	       function_matches(spec->func, p->func, d->plain) && d->entry == means_entry(spec) &&
	       (d->entry || line_number_matches(spec->name, d->line));
}

/* ---- while the program runs ---- */
void line_reserve(struct probe_set *s, const struct probe *p)
{
	struct line_state *st = line_state_of(s);

	if (st->gate.anchor)
		code_reserve(&st->gate, code_of(p)->pid, CODE_SPARE_MANY);
}

unsigned line_anchors(struct probe_set *s, const struct probe_spec *spec, struct probe **out)
{
	struct line_state *st = line_state_of(s);

	if (!spec_list_has(&st->code.specs, spec))
		return 0;
	out[0] = code_anchor(&st->gate, probe_process(spec, &provider_line));
	return 1;
}

static void follow_spec(struct line_find *f, const struct program_module *m, size_t n)
{
	char reason[REASON];

	f->own.n = 0;
	f->state->searches++;
	for (unsigned pass = 0; pass < 2; pass++)	/* the program before its libraries */
		for (size_t i = 0; i < n; i++)
			if (m[i].program == !pass && !module_list_has(&f->state->code.seen, f->pid, &m[i]))
				per_module(f, &m[i], reason);
}

void line_follow(struct probe_follow *w)
{
	struct line_state *st = line_state_of(w->set);
	char reason[REASON];
	struct line_find f = {
		.set = w->set, .state = st, .pid = w->named, .follow = w, .to = { w->set, reason, sizeof reason },
		.provname = arena_printf(w->set->arena, "line%" PRId64, w->named),
	};
	const struct program_module *m;
	size_t n;

	if (!st->gate.anchor || w->set->programs->modules(w->set->code, w->pid, &m, &n, reason, sizeof reason) < 0)
		return;		/* nothing to follow; it has ended */
	for (size_t i = 0; i < st->code.specs.list.n; i++) {
		f.spec = &st->code.specs.list.v[i];
		if (probe_process(f.spec, &provider_line) == f.pid)
			follow_spec(&f, m, n);
	}
	module_list_add(w->set->arena, &st->code.seen, f.pid, m, n);
	code_follow(&st->gate, w);
}
