/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Descriptions -> probes: finds variables. Their names are no patterns, because '[' chooses an element. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "providers/modules.h"
#include "providers/watch/watch.h"

enum { REASON = 200 };

#define WRITE "-write"

/* One description while its probe is being created. */
struct watch_find {
	struct probe_set *set;
	const struct probe_spec *spec;
	int64_t pid;
	const char *name;		/* of the variable */
	bool write;
	char *reason;
	size_t room;
};

/* Refuses the description with a message of its own. Returns -1. */
__attribute__((format(printf, 3, 4)))
static int refuse(struct watch_find *f, enum diag_tag tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->reason, f->room, fmt, ap);
	va_end(ap);
	f->set->refused = tag;
	return -1;
}

static int create(struct watch_find *f, const struct program_module *m, const char *function, uint64_t addr,
		  uint64_t size, bool is_signed)
{
	struct watch_probe *d = arena_alloc(f->set->arena, sizeof *d);
	size_t **count = (size_t **)probe_state_of(f->set, &provider_watch);

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return refuse(f, D_PROC_CREATEFAIL, "failed to create probe at '%s': it has %" PRIu64 " bytes, and "
			      "a hardware breakpoint covers 1, 2, 4 or 8", f->name, size);
	if (addr % size)
		return refuse(f, D_PROC_CREATEFAIL, "failed to create probe at '%s': its address 0x%"
			      PRIx64 " is not a multiple of its size %" PRIu64 ", as hardware breakpoints need; name "
			      "a smaller part by address and size (:::0xADDRESS,SIZE)", f->name, addr, size);
	if (!*count)
		*count = arena_calloc(f->set->arena, 1, sizeof **count);
	*d = (struct watch_probe){
		.pid = f->pid, .module = m, .addr = addr, .size = size, .is_signed = is_signed, .write = f->write,
		.forks = f->set->followfork, .attached = *count,
	};
	probe_add_as(f->set, &provider_watch, arena_printf(f->set->arena, "watch%" PRId64, f->pid), m ? m->name : "",
		     function, f->spec->name, d);
	return 1;
}

/* ---- an address ---- */

/* "0x601040,4" */
static int provide_address(struct watch_find *f)
{
	unsigned long long addr, size;
	char *end;

	if (*f->spec->mod || *f->spec->func)
		return refuse(f, D_PROC_NAME, "an address has no module and no function: watch%" PRId64 ":::%s", f->pid,
			      f->name);
	errno = 0;
	addr = strtoull(f->name, &end, 16);
	if (errno || *end != ',' || !isdigit((unsigned char)end[1]))
		return refuse(f, D_PROC_NAME, "'%s' is an invalid probe name: an address needs a size in bytes, as in "
			      "0x601040,4", f->name);
	size = strtoull(end + 1, &end, 10);
	if (errno || *end)
		return refuse(f, D_PROC_NAME, "'%s' is an invalid probe name", f->name);
	return create(f, NULL, "", addr, size, false);
}

/* ---- a variable ---- */
/* Returns 1: created; 0: the file has no such variable, the reason may say why; -1: refused. */
static int per_module(struct watch_find *f, const struct program_module *m, const struct program_module *program,
		      char reason[REASON])
{
	struct program_variable v;
	int r;

	*reason = '\0';
	r = f->set->programs->variable(f->set->code, m, program, f->spec->func, f->name, &v, reason, REASON);
	if (r == -ENOENT || r == -ENODATA)
		return 0;
	if (r)
		return refuse(f, D_PROC_CREATEFAIL, "failed to create probe at '%s' in %s: %s", f->name, m->name,
			      reason);
	return create(f, m, *f->spec->func ? f->spec->func : v.function, v.addr, v.size, v.is_signed);
}

static int not_found(struct watch_find *f, const char *reason)
{
	const struct probe_spec *s = f->spec;
	bool func = *s->func, mod = *s->mod;

	return refuse(f, D_PROC_NAME, "failed to find a global or static variable '%s'%s%s%s%s%s%s%s%s", f->name,
		      func ? " of function '" : "", s->func, func ? "'" : "", mod ? " in module '" : "", s->mod,
		      mod ? "'" : "", *reason ? ": " : "", reason);
}

/* The first file that has the variable, the program before its libraries. */
static int provide_variable(struct watch_find *f)
{
	const struct program_module *m, *program;
	char reason[REASON], first[REASON] = "";
	bool any = false;
	size_t n;
	int r;

	if (f->set->programs->modules(f->set->code, f->pid, &m, &n, reason, sizeof reason) < 0)
		return refuse(f, D_PROC_GRAB, "failed to grab process %" PRId64 ": %s", f->pid, reason);
	program = module_program(m, n);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			if ((&m[i] == program) != !pass || !module_matches(f->spec->mod, &m[i]))
				continue;
			r = per_module(f, &m[i], program, reason);
			if (r)
				return r;
			if (!*first)
				memcpy(first, reason, sizeof first);
			any = true;
		}
	}
	if (!any)
		return refuse(f, D_PROC_LIB, "process %" PRId64 " has no module '%s'", f->pid, f->spec->mod);
	return not_found(f, first);
}

static bool valid_name(const char *name)
{
	return *name && !strpbrk(name, "*?\\!");
}

int watch_provide(struct probe_set *s, const struct probe_spec *spec, char *reason, size_t n)
{
	struct watch_find f = {
		.set = s, .spec = spec, .pid = probe_process(spec, &provider_watch), .reason = reason, .room = n,
	};
	size_t len = strlen(spec->name), suffix = sizeof WRITE - 1;

	if (f.pid <= 0)
		return refuse(&f, D_PROC_BADPID, "'%s' does not contain a valid pid", spec->prov);
	if (!s->programs)
		return refuse(&f, D_PROC_GRAB, "failed to grab process %" PRId64 ": not available here", f.pid);
	f.write = len > suffix && !strcmp(spec->name + len - suffix, WRITE);
	f.name = arena_strndup(s->arena, spec->name, len - (f.write ? suffix : 0));
	if (!valid_name(f.name))
		return refuse(&f, D_PROC_NAME, "'%s' is an invalid probe name: the watch provider needs the name of "
			      "one variable, without patterns", spec->name);
	return isdigit((unsigned char)*f.name) ? provide_address(&f) : provide_variable(&f);
}

bool watch_matches(const struct probe *p, const struct probe_spec *spec)
{
	const struct watch_probe *d = watch_probe_of(p);

	if (!probe_glob(spec->prov, p->provname) || (*spec->func && strcmp(spec->func, p->func)) ||
	    (*spec->name && strcmp(spec->name, p->name)))
		return false;
	return !*spec->mod || (d->module && module_matches(spec->mod, d->module));
}
