/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Descriptions -> probes: finds the functions and their instructions. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "providers/pid/pid.h"
#include "providers/registry.h"

/* The function's name in its language, if that is another one. */
static const char *plain_name(struct pid_find *f, const char *name)
{
	const char *plain;

	if (!program_encoded(name))
		return NULL;
	plain = f->set->programs->plain(f->code, name);
	return plain == name || !strcmp(plain, name) ? NULL : plain;
}

int pid_find_module(struct pid_find *f, const struct program_module *m)
{
	const struct program_function *v;
	const char *func = f->spec->func;
	bool found = false;
	size_t n;

	f->module = m;
	if (f->set->programs->functions(f->code, m, &v, &n) < 0)
		return probe_refuse(&f->to, D_PROC_GRAB, "failed to read the functions of %s: out of memory", m->path);
	f->functions += n;
	for (size_t i = 0; i < n; i++) {
		const char *plain = plain_name(f, v[i].name);

		if (!pid_function_matches(func, &v[i], plain))
			continue;
		found = true;
		f->function = &v[i];
		f->plain = v[i].resolver ? NULL : plain;
		if ((v[i].resolver ? pid_create_chosen(f, &v[i]) : pid_create_all(f)) < 0)
			return -1;
	}
	if (!found && *func && !probe_is_glob(func) && *f->spec->mod && !probe_is_glob(f->spec->mod))
		return probe_refuse(&f->to, D_PROC_FUNC, "failed to lookup '%s' in module '%s'%s", func, f->spec->mod,
				    n ? "" : ": it has no symbols (it is stripped)");
	return 0;
}

/* ---- addresses: the function "-" ---- */
static int provide_address(struct pid_find *f, const struct program_module *m)
{
	static const struct program_function nowhere = { .name = "-" };
	unsigned long long at;
	char name[24], *end;

	if (!m || !module_matches(f->spec, m) || (*f->spec->mod && probe_is_glob(f->spec->mod)))
		return probe_refuse(&f->to, D_PROC_LIB, "only the a.out module is valid with the '-' function");
	if (pid_is_pattern(f->spec->name))
		return probe_refuse(&f->to, D_PROC_NAME, "only individual addresses may be specified with the '-' "
				    "function");
	errno = 0;
	at = strtoull(f->spec->name, &end, 16);
	if (*end || errno || end == f->spec->name)
		return probe_refuse(&f->to, D_PROC_NAME, "'%s' is an invalid probe name", f->spec->name);
	if (at < m->start || at >= m->end)
		return probe_refuse(&f->to, D_PROC_OFF, "address 0x%llx is outside of the code of a.out", at);
	f->module = m;
	f->function = &nowhere;
	f->plain = NULL;
	snprintf(name, sizeof name, "%llx", at);
	pid_create_offset(f, name, &(struct program_step){ .off = at - m->start + m->off });
	return 1;
}

/* ---- processes ---- */
static int provide_process(struct pid_find *f)
{
	const struct program_module *m;
	char reason[PID_REASON];
	bool found = false;
	size_t n;

	if (!f->set->programs)
		return probe_refuse(&f->to, D_PROC_GRAB, "failed to grab process %" PRId64 ": not available here",
				    f->pid);
	if (f->set->programs->modules(f->set->code, f->pid, &m, &n, reason, sizeof reason) < 0)
		return probe_refuse(&f->to, D_PROC_GRAB, "failed to grab process %" PRId64 ": %s", f->pid, reason);
	module_list_add(f->set->arena, &f->state->code.seen, f->pid, m, n);
	if (!strcmp(f->spec->func, "-"))
		return provide_address(f, module_program(m, n));
	for (size_t i = 0; i < n; i++) {
		if (!module_matches(f->spec, &m[i]))
			continue;
		found = true;
		if (pid_find_module(f, &m[i]) < 0)
			return -1;
	}
	if (found && !f->found && f->state->code.unprobed)
		snprintf(f->to.reason, f->to.room, "%s", f->state->code.first);
	else if (found && !f->functions)
		snprintf(f->to.reason, f->to.room, "module '%s' has no symbols (it is stripped)", f->spec->mod);
	if (!found)
		snprintf(f->to.reason, f->to.room, "process %" PRId64 " has no module '%s'", f->pid, f->spec->mod);
	return f->found > 0;
}

/* One of several files or processes: that it lacks the function is an error only if all do. */
static void try_module(struct pid_find *f, const struct program_module *m)
{
	if (pid_find_module(f, m) < 0)
		f->refused = f->set->refused;
	f->set->refused = D_NONE;
}

/* All processes: each file once. */
static void take_process(void *arg, int64_t pid)
{
	struct pid_find *f = arg;
	const struct program_module *m;
	char reason[PID_REASON];
	size_t n;

	if (pid == getpid() || f->set->programs->modules(f->code, pid, &m, &n, reason, sizeof reason) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		f->file = module_matches(f->spec, &m[i]) ? files_first(&f->state->files, &m[i]) : NULL;
		if (f->file)
			try_module(f, &m[i]);
	}
}

/* Processes whose IDs a pattern matches: those that run now. */
static void take_matching(void *arg, int64_t pid)
{
	struct pid_find *f = arg;
	const struct program_module *m;
	char name[32], reason[PID_REASON];
	size_t n;

	snprintf(name, sizeof name, "%s%" PRId64, provider_pid.name, pid);
	if (pid == getpid() || !probe_glob(f->spec->prov, name) ||
	    f->set->programs->modules(f->code, pid, &m, &n, reason, sizeof reason) < 0)
		return;
	f->pid = pid;
	f->provname = arena_strdup(f->arena, name);
	module_list_add(f->arena, &f->state->code.seen, pid, m, n);
	for (size_t i = 0; i < n; i++)
		if (module_matches(f->spec, &m[i]))
			try_module(f, &m[i]);
}

static int provide_pattern(struct pid_find *f)
{
	bool all = pid_everywhere(f->set, f->spec);

	if (!f->set->programs)
		return probe_refuse(&f->to, D_PROC_GRAB, "failed to grab processes: not available here");
	if (!strcmp(f->spec->func, "-"))
		return probe_refuse(&f->to, D_PROC_BADPID, "an address belongs to one process: '%s' means many",
				    f->spec->prov);
	if (f->set->target <= 0 && pid_is_pattern(f->spec->mod) && pid_is_pattern(f->spec->func))
		return probe_refuse(&f->to, D_PROC_BADPID, "'%s' means the functions of all files of many processes: "
				    "name a module (%s:libc:%s:%s) or a function", f->spec->prov, f->spec->prov,
				    f->spec->func, f->spec->name);
	if (all) {
		f->provname = PID_OF_ALL;
		f->state->code.of_all = true;
		f->state->files.turn++;
		f->set->programs->processes(take_process, f);
	} else if (f->set->target > 0) {
		take_matching(f, f->set->target);
	} else {
		f->set->programs->processes(take_matching, f);
	}
	f->state->code.of_one |= !all;
	if (!f->found)
		f->set->refused = f->refused;
	return f->found ? 1 : f->refused ? -1 : 0;
}

int pid_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		size_t n)
{
	struct pid_find f = {
		.set = s, .state = pid_state_of(s), .spec = spec, .pid = probe_process(spec, self),
		.to = { s, reason, n }, .code = s->code, .arena = s->arena,
	};

	spec_list_add(s->arena, &f.state->code.specs, spec);
	if (probe_is_glob(spec->prov))
		return provide_pattern(&f);
	if (f.pid <= 0)
		return probe_refuse(&f.to, D_PROC_BADPID, "'%s' does not contain a valid pid%s", spec->prov,
				    probe_process_hint(spec));
	f.state->code.of_one = true;
	f.provname = arena_printf(s->arena, "pid%" PRId64, f.pid);
	return provide_process(&f);
}

int64_t pid_process(const struct probe_set *s, const struct probe_spec *spec)
{
	char name[32];

	if (!probe_is_glob(spec->prov))
		return probe_process(spec, &provider_pid);
	snprintf(name, sizeof name, "%s%" PRId64, provider_pid.name, s->target);
	return s->target > 0 && !strncmp(spec->prov, provider_pid.name, strlen(provider_pid.name)) &&
	       probe_glob(spec->prov, name) ? s->target : 0;
}

/* The name of an offset: the same number in hexadecimal. */
static bool offset_matches(const char *typed, const char *name)
{
	char *end;
	unsigned long long at = strtoull(typed, &end, 16);

	return !*end && end != typed && at == strtoull(name, NULL, 16);
}

bool pid_matches(const struct probe *p, const struct probe_spec *spec)
{
	const struct pid_probe *d = pid_probe_of(p);

	if (!d->function || !probe_glob(spec->prov, p->provname) || !module_matches(spec, d->code.module) ||
	    !pid_function_matches(spec->func, d->function, d->plain))
		return false;
	return probe_glob(spec->name, p->name) || (d->step && offset_matches(spec->name, p->name));
}
