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
	const char *why;		/* a statement that is named exactly cannot be probed */
	char *reason;
	size_t room;
};

/* Refuses the description with a message of its own. Returns -1. */
__attribute__((format(printf, 3, 4)))
static int refuse(struct line_find *f, enum diag_tag tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->reason, f->room, fmt, ap);
	va_end(ap);
	f->set->refused = tag;
	return -1;
}

static bool is_pattern(const char *s)
{
	return !*s || probe_is_glob(s);
}

/* ---- names ---- */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The name of a source file, or the end of its path. Descriptions cannot contain '/': "lib?list.c". */
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
	return function[0] == '_' ? f->set->programs->plain(f->set->code, function) : NULL;
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
		return base_name(s->file);
	case 1:
		return s->file;
	default:
		return arena_printf(f->set->arena, "%s`%s", f->module->name, s->file);
	}
}

static struct probe *add_probe(struct line_find *f, const struct program_statement *s, const char *mod)
{
	struct pid_gate *g = &f->state->code.gates[PID_ENTRY];
	struct line_probe *d = arena_alloc(f->set->arena, sizeof *d);
	char name[16];
	struct probe *p;

	snprintf(name, sizeof name, "%" PRIu32, s->line);
	p = probe_add_as(f->set, &provider_line, f->provname, mod, s->function, name, d);
	if (p->data != d)
		return p;	/* it exists */
	*d = (struct line_probe){
		.code = { .gate = g, .number = (uint32_t)g->probes.n, .pid = f->pid, .module = f->module },
		.file = arena_strdup(f->set->arena, s->file), .line = s->line, .search = f->state->searches,
	};
	if (plain_name(f, s->function))
		d->code.plain = arena_strdup(f->set->arena, plain_name(f, s->function));
	*VEC_ADD(f->set->arena, &g->probes) = p;
	g->gate.numbers = (uint32_t)g->probes.n;
	return p;
}

static struct line_probe *probe_of(struct line_find *f, const struct program_statement *s)
{
	for (unsigned i = 0;; i++) {
		struct line_probe *d = line_probe_of(add_probe(f, s, module_name(f, s, i)));

		if (i == 2 || (!strcmp(d->file, s->file) && d->code.module->file == f->module->file))
			return d;
	}
}

static void add_site(struct line_find *f, struct line_probe *d, const struct program_statement *s)
{
	struct pid_probe *c = &d->code;

	if (c->nsites == d->room) {
		size_t room = d->room ? 2 * d->room : 1;
		struct pid_site *v = arena_alloc(f->set->arena, room * sizeof *v);

		if (c->nsites)
			memcpy(v, c->site, c->nsites * sizeof *v);
		c->site = v;
		d->room = room;
	}
	c->site[c->nsites++] = (struct pid_site){ s->off, s->at };
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
static bool wanted(void *arg, const char *path)
{
	const struct line_find *f = arg;

	if (!f->module->program && f->own.n)
		return is_own(f, path);
	return file_matches(f->spec->mod, path);
}

static void leave_out(struct line_find *f, const struct program_statement *s)
{
	struct pid_state *st = &f->state->code;
	const char *text = arena_printf(f->set->arena, "%s:%s:%" PRIu32 ": %s", base_name(s->file), s->function,
					s->line, s->why);

	if (!is_pattern(f->spec->name)) {
		f->why = text;
		return;
	}
	if (!st->unprobed++)
		st->first = text;
}

static void statement(void *arg, const struct program_statement *s)
{
	struct line_find *f = arg;
	struct line_probe *d;

	f->file = true;
	if (*f->spec->mod)
		note_own(f, s);
	if (!function_matches(f->spec->func, s->function, plain_name(f, s->function)))
		return;
	f->function = true;
	if (!line_number_matches(f->spec->name, s->line)) {
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
	if (d->search == f->state->searches)
		add_site(f, d, s);
}

/* ---- messages ---- */
static int no_information(struct line_find *f, const struct program_module *m, const char *reason)
{
	return refuse(f, D_PROC_LIB, "process %" PRId64 " (%s) has no debugging information: %s", f->pid, m->path,
		      reason);
}

static int no_line(struct line_find *f)
{
	const char *func = f->spec->func;
	char next[64] = "";

	if (f->next)
		snprintf(next, sizeof next, "; the next one begins at line %" PRIu32, f->next);
	return refuse(f, D_PROC_NAME, "no statement begins at line %s of %s%s%s%s%s", f->spec->name, f->spec->mod,
		      *func ? " in function '" : "", func, *func ? "'" : "", next);
}

/* Nothing was found. */
static int not_found(struct line_find *f)
{
	const struct probe_spec *s = f->spec;

	if (!f->file && !is_pattern(s->mod))
		return refuse(f, D_PROC_LIB, "no source file '%s' in the debugging information of process %" PRId64
			      " and its libraries", s->mod, f->pid);
	if (f->file && !f->function && !is_pattern(s->func))
		return refuse(f, D_PROC_FUNC, "failed to lookup '%s' in source file '%s'", s->func,
			      *s->mod ? s->mod : "*");
	if (f->function && !is_pattern(s->name))
		return no_line(f);
	snprintf(f->reason, f->room, "no statements of process %" PRId64 " match it", f->pid);
	return 0;
}

/* ---- processes ---- */

/* Returns 0, or -errno with the reason: the file has no debugging information. */
static int per_module(struct line_find *f, const struct program_module *m, char reason[REASON])
{
	f->module = m;
	return f->set->programs->statements(f->set->code, m, wanted, statement, f, reason, REASON);
}

static const struct program_module *program_of(const struct program_module *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (m[i].program)
			return &m[i];
	return NULL;
}

static int per_process(struct line_find *f)
{
	const struct program_module *m, *program;
	char reason[REASON];
	bool bare = false;
	size_t n;

	if (f->set->programs->modules(f->set->code, f->pid, &m, &n, reason, sizeof reason) < 0)
		return refuse(f, D_PROC_GRAB, "failed to grab process %" PRId64 ": %s", f->pid, reason);
	program = program_of(m, n);
	if (program)
		bare = per_module(f, program, reason) < 0;
	for (size_t i = 0; i < n; i++) {
		char ignored[REASON];

		if (&m[i] != program)
			per_module(f, &m[i], ignored);
	}
	if (f->why)
		return refuse(f, D_PROC_CREATEFAIL, "failed to create probe at %s", f->why);
	if (f->found)
		return 1;
	return bare && !f->file ? no_information(f, program, reason) : not_found(f);
}

static bool valid_name(const char *name)
{
	return is_pattern(name) || name[strspn(name, "0123456789")] == '\0';
}

int line_provide(struct probe_set *s, const struct probe_spec *spec, char *reason, size_t n)
{
	struct line_find f = {
		.set = s, .state = line_state_of(s), .spec = spec, .pid = probe_process(spec, &provider_line),
		.reason = reason, .room = n,
	};

	if (f.pid <= 0)
		return refuse(&f, D_PROC_BADPID, "'%s' does not contain a valid pid", spec->prov);
	if (!s->programs)
		return refuse(&f, D_PROC_GRAB, "failed to grab process %" PRId64 ": not available here", f.pid);
	if (!valid_name(spec->name))
		return refuse(&f, D_PROC_NAME, "'%s' is an invalid probe name: the name is the number of a line",
			      spec->name);
	if (is_pattern(spec->mod) && !*spec->mod && is_pattern(spec->func))
		return refuse(&f, D_PROC_NAME, "the line provider needs a source file or a function: "
			      "line%" PRId64 ":FILE:FUNCTION:LINE", f.pid);
	f.state->searches++;
	f.provname = arena_printf(s->arena, "line%" PRId64, f.pid);
	return per_process(&f);
}

bool line_matches(const struct probe *p, const struct probe_spec *spec)
{
	const struct line_probe *d = line_probe_of(p);

	return probe_glob(spec->prov, p->provname) &&
	       (file_matches(spec->mod, d->file) || probe_glob(spec->mod, p->mod)) &&
	       function_matches(spec->func, p->func, d->code.plain) && line_number_matches(spec->name, d->line);
}
