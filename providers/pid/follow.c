/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes in files that a process loads while the program runs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "providers/pid/pid.h"

enum { SPARE_OF_ALL = 256 };	/* of functions that are named exactly, in different files */

void pid_reserve(struct probe_set *s, const struct probe *p)
{
	const struct spec_list *specs = &pid_state_of(s)->code.specs;
	bool many = false;
	uint32_t few = s->everywhere ? SPARE_OF_ALL : CODE_SPARE_FEW;

	for (size_t i = 0; i < specs->list.n; i++)
		many |= pid_is_pattern(specs->list.v[i].func) || pid_is_pattern(specs->list.v[i].name);
	code_reserve(code_of(p)->gate, code_of(p)->pid, many ? CODE_SPARE_MANY : few);
}

unsigned pid_anchors(struct probe_set *s, const struct probe_spec *spec, struct probe **out)
{
	const bool may[PID_NKINDS] = {
		[PID_ENTRY] = strcmp(spec->name, "return") != 0, [PID_RETURN] = probe_glob(spec->name, "return"),
	};
	unsigned n = 0;

	for (unsigned i = 0; i < PID_NKINDS; i++)
		if (may[i])
			out[n++] = code_anchor(&pid_state_of(s)->gates[i], pid_process(s, spec));
	s->everywhere |= pid_everywhere(s, spec);
	return n;
}

void pid_follow(struct probe_follow *w)
{
	char reason[PID_REASON];
	struct pid_find f = {
		.set = w->set, .state = pid_state_of(w->set), .pid = w->named, .follow = w,
		.to = { w->set, reason, sizeof reason }, .code = w->set->code, .arena = w->set->arena,
		.provname = arena_printf(w->set->arena, "pid%" PRId64, w->named),
	};
	struct code_state *st = &f.state->code;
	const struct program_module *m;
	size_t n;

	if (w->set->programs->modules(w->set->code, w->pid, &m, &n, reason, sizeof reason) < 0)
		return;		/* it has ended */
	for (size_t i = 0; i < st->specs.list.n; i++) {
		f.spec = &st->specs.list.v[i];
		if (pid_process(w->set, f.spec) != f.pid || !strcmp(f.spec->func, "-"))
			continue;
		for (size_t k = 0; k < n; k++)
			if (!module_list_has(&st->seen, f.pid, &m[k]) && module_matches(f.spec, &m[k]))
				pid_find_module(&f, &m[k]);
	}
	module_list_add(w->set->arena, &st->seen, f.pid, m, n);
	for (unsigned i = PID_NKINDS; i-- > 0;)		/* entries last: fires_first */
		code_follow(&f.state->gates[i], w);
}

void pid_unmet(struct probe_follow *w)
{
	const struct pid_state *st = pid_state_of(w->set);
	const struct spec_list *specs = &st->code.specs;
	const struct probe_spec *spec = specs->list.v;

	if (!specs->list.n || st->created || w->set->waits)
		return;
	snprintf(w->warning, sizeof w->warning, "no process has mapped a file with the function%s of %s:%s:%s:%s%s",
		 specs->list.n > 1 ? "s" : "", spec->prov, spec->mod, spec->func, spec->name,
		 specs->list.n > 1 ? " and the others" : "");
}
