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
	struct probe_answer to;
};

/* A variable, or memory. */
struct watch_place {
	const struct program_module *module;	/* NULL: memory */
	const char *function;
	uint64_t addr, size;
	bool is_signed;
};

static int place_check(struct watch_find *f, const struct watch_place *x)
{
	if (x->size != 1 && x->size != 2 && x->size != 4 && x->size != 8)
		return probe_refuse(&f->to, D_PROC_CREATEFAIL, "failed to create probe at '%s': it has %" PRIu64
				    " bytes, and a hardware breakpoint covers 1, 2, 4 or 8", f->name, x->size);
	if (x->addr % x->size)
		return probe_refuse(&f->to, D_PROC_CREATEFAIL, "failed to create probe at '%s': its address 0x%" PRIx64
				    " is not a multiple of its size %" PRIu64 ", as hardware breakpoints need; name a "
				    "smaller part by address and size (:::0xADDRESS,SIZE)", f->name, x->addr, x->size);
	return 0;
}

static struct watch_state *state_of(struct probe_set *s)
{
	void **slot = probe_state_of(s, &provider_watch);

	if (!*slot)
		*slot = arena_alloc(s->arena, sizeof(struct watch_state));
	return *slot;
}

/* Without an address, the variable is waited for. */
static int create_probe(struct watch_find *f, const struct watch_place *x)
{
	struct watch_probe *d = arena_alloc(f->set->arena, sizeof *d);
	struct watch_state *st = state_of(f->set);
	bool library = !x->addr || (x->module && !x->module->program);
	const struct probe_names names = {
		arena_printf(f->set->arena, "watch%" PRId64, f->pid),
		x->module ? x->module->name : x->addr ? "" : f->spec->mod, x->function, f->spec->name,
	};
	struct probe *p;

	if (x->addr && place_check(f, x))
		return -1;
	*d = (struct watch_probe){
		.state = st, .number = (unsigned)st->probes.n, .pid = f->pid, .module = x->module, .addr = x->addr,
		.moves = library ? arena_memdup(f->set->arena, f->spec, sizeof *f->spec) : NULL, .waits = !x->addr,
		.size = x->size, .is_signed = x->is_signed, .write = f->write, .forks = f->set->followfork,
	};
	p = probe_add(f->set, &provider_watch, &names, d);
	if (p->data == d)
		*VEC_ADD(f->set->arena, &st->probes) = p;
	return 1;
}

/* ---- an address ---- */

/* "0x601040,4" */
static int provide_address(struct watch_find *f)
{
	unsigned long long addr, size;
	char *end;

	if (*f->spec->mod || *f->spec->func)
		return probe_refuse(&f->to, D_PROC_NAME, "an address has no module and no function: watch%" PRId64
				    ":::%s", f->pid, f->name);
	errno = 0;
	addr = strtoull(f->name, &end, 16);
	if (errno || *end != ',' || !isdigit((unsigned char)end[1]))
		return probe_refuse(&f->to, D_PROC_NAME, "'%s' is an invalid probe name: an address needs a size in "
				    "bytes, as in 0x601040,4", f->name);
	size = strtoull(end + 1, &end, 10);
	if (errno || *end)
		return probe_refuse(&f->to, D_PROC_NAME, "'%s' is an invalid probe name", f->name);
	if (!addr)
		return probe_refuse(&f->to, D_PROC_NAME, "'%s' is an invalid probe name", f->name);
	return create_probe(f, &(struct watch_place){ .function = "", .addr = addr, .size = size });
}

/* ---- a variable ---- */
/* Returns 1: found; 0: the file has no such variable, the reason may say why; -1: refused. */
static int per_module(struct watch_find *f, const struct program_module *m, const struct program_module *program,
		      struct watch_place *out, char reason[REASON])
{
	struct program_variable v;
	int r;

	*reason = '\0';
	r = f->set->programs->variable(f->set->code, m, program, f->spec->func, f->name, &v, reason, REASON);
	if (r == -ENOENT || r == -ENODATA)
		return 0;
	if (r)
		return probe_refuse(&f->to, D_PROC_CREATEFAIL, "failed to create probe at '%s' in %s: %s", f->name,
				    m->name, reason);
	*out = (struct watch_place){
		.module = m, .function = *f->spec->func ? f->spec->func : v.function, .addr = v.addr, .size = v.size,
		.is_signed = v.is_signed,
	};
	return 1;
}

static int not_found(struct watch_find *f, const char *reason)
{
	const struct probe_spec *s = f->spec;
	bool func = *s->func, mod = *s->mod;

	return probe_refuse(&f->to, D_PROC_NAME, "failed to find a global or static variable '%s'%s%s%s%s%s%s%s%s",
			    f->name, func ? " of function '" : "", s->func, func ? "'" : "", mod ? " in module '" : "",
			    s->mod, mod ? "'" : "", *reason ? ": " : "", reason);
}

/* The first file that has the variable, the program before its libraries. Returns 1, or -1: refused. */
static int find_variable(struct watch_find *f, struct watch_place *out)
{
	const struct program_module *m, *program;
	char reason[REASON], first[REASON] = "";
	bool any = false;
	size_t n;
	int r;

	if (f->set->programs->modules(f->set->code, f->pid, &m, &n, reason, sizeof reason) < 0)
		return probe_refuse(&f->to, D_PROC_GRAB, "failed to grab process %" PRId64 ": %s", f->pid, reason);
	program = module_program(m, n);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			if ((&m[i] == program) != !pass || !module_matches(f->spec, &m[i]))
				continue;
			r = per_module(f, &m[i], program, out, reason);
			if (r)
				return r;
			if (!*first && (!pass || *f->spec->mod))	/* other libraries need no information */
				memcpy(first, reason, sizeof first);
			any = true;
		}
	}
	if (!any)
		return probe_refuse(&f->to, D_PROC_LIB, "process %" PRId64 " has no module '%s'", f->pid, f->spec->mod);
	return not_found(f, first);
}

/* With -Z, a variable that is not there may be in a library that is loaded later. */
static int provide_variable(struct watch_find *f)
{
	struct watch_place x = { .module = NULL };
	int r = find_variable(f, &x);

	if (r < 0 && f->set->waits && (f->set->refused == D_PROC_LIB || f->set->refused == D_PROC_NAME)) {
		f->set->refused = D_NONE;
		*f->to.reason = '\0';
		x = (struct watch_place){ .function = f->spec->func };
		r = 1;
	}
	return r < 0 ? r : create_probe(f, &x);
}

/* The variable's name and whether only writes are meant, from the name of the probe. */
static void name_set(struct watch_find *f)
{
	size_t len = strlen(f->spec->name), suffix = sizeof WRITE - 1;

	f->write = len > suffix && !strcmp(f->spec->name + len - suffix, WRITE);
	f->name = arena_strndup(f->set->arena, f->spec->name, len - (f->write ? suffix : 0));
}

int watch_find_again(struct probe_set *s, const struct probe *p, char *reason, size_t n)
{
	struct watch_probe *d = watch_probe_of(p);
	struct watch_find f = { .set = s, .spec = d->moves, .pid = d->pid, .to = { s, reason, n } };
	struct watch_place x = { .module = NULL };
	int r;

	name_set(&f);
	s->refused = D_NONE;
	r = find_variable(&f, &x);
	if (r > 0)
		r = place_check(&f, &x);
	else if (s->refused != D_PROC_CREATEFAIL)
		r = 0;
	if (r)
		x.addr = 0;
	d->module = x.module;
	d->addr = x.addr;
	if (d->waits && x.addr) {
		d->size = x.size;
		d->is_signed = x.is_signed;
	}
	return r;
}

int watch_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		  size_t n)
{
	struct watch_find f = {
		.set = s, .spec = spec, .pid = probe_process(spec, self), .to = { s, reason, n },
	};

	if (f.pid <= 0)
		return probe_refuse(&f.to, D_PROC_BADPID, "'%s' does not contain a valid pid%s", spec->prov,
				    probe_process_hint(spec));
	if (!s->programs)
		return probe_refuse(&f.to, D_PROC_GRAB, "failed to grab process %" PRId64 ": not available here",
				    f.pid);
	name_set(&f);
	if (!*f.name || strpbrk(f.name, "*?\\!"))
		return probe_refuse(&f.to, D_PROC_NAME, "'%s' is an invalid probe name: the watch provider needs the "
				    "name of one variable, without patterns", spec->name);
	return isdigit((unsigned char)*f.name) ? provide_address(&f) : provide_variable(&f);
}

bool watch_matches(const struct probe *p, const struct probe_spec *spec)
{
	const struct watch_probe *d = watch_probe_of(p);

	if (!probe_glob(spec->prov, p->provname) || (*spec->func && strcmp(spec->func, p->func)) ||
	    (*spec->name && strcmp(spec->name, p->name)))
		return false;
	if (!*spec->mod)
		return true;
	return d->module ? module_matches(spec, d->module) : d->waits && !strcmp(spec->mod, p->mod);
}
