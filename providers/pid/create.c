/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creates the probes of a function: its entry, its returns, its instructions. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "providers/pid/pid.h"

/* ---- probes ---- */
struct code_site pid_site(const struct program_function *f, const struct program_step *s)
{
	return (struct code_site){ .off = f->off + s->off, .at = s->off, .emulated = s->emulated,
				    .go = f->go };
}

/* The probe of one process. */
static struct probe *own_probe(struct pid_find *f, enum pid_kind kind, const struct probe_names *names)
{
	struct code_gate *g = &f->state->gates[kind];
	struct pid_probe *d;
	struct probe *p;

	if (f->follow)
		return code_fill(g, f->module, names);
	d = arena_alloc(f->set->arena, sizeof *d);
	p = probe_add(f->set, &provider_pid, names, d);
	if (p->data != d)
		return NULL;	/* it exists */
	*d = (struct pid_probe){ .code.module = f->module };
	code_join(g, p, f->pid);
	return p;
}

struct probe *pid_create(struct pid_find *f, enum pid_kind kind, const char *name, const struct code_probe *at)
{
	const struct probe_names names = {
		f->provname, f->file ? path_base(f->module->path) : f->module->name, f->function->name, name,
	};
	struct probe *p;

	f->found++;
	f->state->created++;
	p = f->file ? pid_file_probe(f, kind, &names) : own_probe(f, kind, &names);
	if (!p)
		return NULL;
	if (f->file) {
		pid_file_sites(f, p, at);
		return p;
	}
	code_of(p)->after = at->after;
	code_of(p)->site = at->site;
	code_of(p)->nsites = at->nsites;
	pid_probe_of(p)->function = f->function;
	pid_probe_of(p)->plain = f->plain ? arena_strdup(f->set->arena, f->plain) : NULL;
	if (f->follow)
		code_filled(&f->state->gates[kind], p, f->follow);
	return p;
}

/* A pattern matches an instruction that the kernel cannot probe. */
void pid_leave_out(struct pid_find *f, const char *name, const char *why)
{
	struct code_state *st = &f->state->code;

	code_leave_out(st, st->unprobed ? st->first : arena_printf(f->set->arena, "%s:%s:%s: %s", f->module->name,
								   f->function->name, name, why));
}

struct probe *pid_create_at(struct pid_find *f, const char *name, const struct program_step *at)
{
	struct code_probe x = { .nsites = 1, .site = arena_alloc(f->arena, sizeof *x.site) };

	x.site[0] = pid_site(f->function, at);
	return pid_create(f, PID_ENTRY, name, &x);
}

void pid_create_offset(struct pid_find *f, const char *name, const struct program_step *at)
{
	struct probe *p = pid_create_at(f, name, at);

	if (p)
		pid_probe_of(p)->step = true;
}

/* ---- instructions ---- */
static void take_step(void *arg, const struct program_step *step)
{
	struct pid_find *f = arg;

	*VEC_ADD(f->arena, &f->steps) = *step;
}

static int read_steps(struct pid_find *f, char reason[PID_REASON])
{
	if (f->steps.n)
		return 0;
	return f->set->programs->steps(f->code, f->module, f->function, take_step, f, reason, PID_REASON);
}

/* The instructions at which the function returns. Returns false if not all of them can be found and probed. */
bool pid_find_returns(struct pid_find *f, struct code_probe *d)
{
	char reason[PID_REASON];

	if (read_steps(f, reason) < 0)
		return false;
	d->site = arena_calloc(f->arena, f->steps.n + 1, sizeof *d->site);
	for (size_t i = 0; i < f->steps.n; i++) {
		const struct program_step *s = &f->steps.v[i];

		if (s->leaves == LEAVES_NOT)
			continue;
		if (s->leaves == LEAVES_UNKNOWN || !s->probed || (s->leaves == LEAVES_TAIL && f->set->tailreturn))
			return false;
		d->site[d->nsites++] = pid_site(f->function, s);
	}
	return true;
}

/* A function that never returns has no such probe. If not all its returns are known, the kernel replaces the return
 * address when the function begins, unless that instruction cannot be probed. */
static void create_return(struct pid_find *f, const struct program_step *first)
{
	struct code_probe sites = { 0 };
	bool all = !f->set->uretprobe && pid_find_returns(f, &sites);

	if (!all && first->why)
		pid_leave_out(f, "return", first->why);
	if (all ? !sites.nsites : first->why != NULL)
		return;
	if (!all) {
		sites.after = true;
		sites.site = arena_alloc(f->arena, sizeof *sites.site);
		sites.site[0] = pid_site(f->function, first);
		sites.nsites = 1;
	}
	pid_create(f, PID_RETURN, "return", &sites);
}

static void step_name(char name[24], const struct program_step *s)
{
	snprintf(name, 24, "%" PRIx64, s->off);
}

/* A pattern of offsets. If the instructions are not known, it matches none. */
static void create_steps(struct pid_find *f)
{
	char name[24], reason[PID_REASON];

	if (read_steps(f, reason) < 0)
		return;
	for (size_t i = 0; i < f->steps.n; i++) {
		const struct program_step *s = &f->steps.v[i];

		step_name(name, s);
		if (!probe_glob(f->spec->name, name))
			continue;
		if (s->probed)
			pid_create_offset(f, name, s);
		else
			pid_leave_out(f, name, s->why);
	}
}

/* One instruction, by its offset. */
static int create_offset(struct pid_find *f)
{
	const char *func = f->function->name;
	char reason[PID_REASON], name[24], *end;
	unsigned long long at;

	errno = 0;
	at = strtoull(f->spec->name, &end, 16);
	if (*end || errno || end == f->spec->name)
		return probe_refuse(&f->to, D_PROC_NAME, "'%s' is an invalid probe name", f->spec->name);
	if (at >= f->function->size)
		return probe_refuse(&f->to, D_PROC_OFF, "offset 0x%llx outside of function '%s'", at, func);
	if (read_steps(f, reason) < 0)
		return probe_refuse(&f->to, D_PROC_CREATEFAIL, "failed to create probe at '%s+0x%llx': %s", func, at,
				    reason);
	for (size_t i = 0; i < f->steps.n; i++) {
		if (f->steps.v[i].off != at)
			continue;
		if (!f->steps.v[i].probed)
			return probe_refuse(&f->to, D_PROC_CREATEFAIL, "failed to create probe at '%s+0x%llx': %s",
					    func, at, f->steps.v[i].why);
		step_name(name, &f->steps.v[i]);
		pid_create_offset(f, name, &f->steps.v[i]);
		return 0;
	}
	return probe_refuse(&f->to, D_PROC_CREATEFAIL,
			    "failed to create probe at '%s+0x%llx': no instruction begins there", func, at);
}

/* ---- functions ---- */
int pid_create_all(struct pid_find *f)
{
	const struct program_function *function = f->function;
	const char *name = f->spec->name;
	bool entry = probe_glob(name, "entry"), returns = probe_glob(name, "return");
	bool pattern = pid_is_pattern(name);
	struct program_step first = { .probed = true };

	f->steps.n = 0;
	if (entry || returns)
		first = f->set->programs->first(f->code, f->module, function);
	if (entry && first.why && !pattern && !pid_is_pattern(f->spec->func))
		return probe_refuse(&f->to, D_PROC_CREATEFAIL, "failed to create entry probe for '%s': %s",
				    function->name, first.why);
	if (entry && first.why)
		pid_leave_out(f, "entry", first.why);
	else if (entry)
		pid_create_at(f, "entry", &first);
	if (returns)
		create_return(f, &first);
	if (pattern)
		create_steps(f);
	return !entry && !returns && !pattern ? create_offset(f) : 0;
}
