/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions that are chosen at run time (IFUNC). */
#include <stdio.h>

#include "providers/pid/pid.h"

/* What a description of the resolver's name means. */
struct choosing_probe {
	struct pid_find *find;
	struct code_probe sites;	/* of the probe */
	enum pid_kind kind;
	size_t n;			/* functions */
	bool failed;			/* the returns of one of them are not known */
};

static void add_site(struct pid_find *f, struct code_probe *d, struct code_site site)
{
	struct code_site *v = arena_calloc(f->arena, d->nsites + 1, sizeof *v);

	for (size_t i = 0; i < d->nsites; i++) {
		if (d->site[i].off == site.off)
			return;
		v[i] = d->site[i];
	}
	v[d->nsites++] = site;
	d->site = v;
}

static void add_choice(void *arg, const struct program_function *choice)
{
	struct choosing_probe *c = arg;
	struct pid_find *f = c->find;
	struct code_probe d = { 0 };

	c->n++;
	if (c->kind == PID_ENTRY) {
		const struct program_step first = f->set->programs->first(f->code, f->module, choice);

		if (first.why)
			pid_leave_out(f, *choice->name ? choice->name : "entry", first.why);
		else
			add_site(f, &c->sites, pid_site(choice, &first));
		return;
	}
	f->function = choice;
	f->steps.n = 0;
	if (!choice->size || !pid_find_returns(f, &d))
		c->failed = true;
	for (size_t i = 0; i < d.nsites; i++)
		add_site(f, &c->sites, d.site[i]);
}

static int create_chosen(struct pid_find *f, const struct program_function *resolver, enum pid_kind kind)
{
	struct choosing_probe c = { .find = f, .kind = kind };
	const char *name = kind == PID_ENTRY ? "entry" : "return";
	char reason[PID_REASON] = "its functions are not known";
	int r = f->set->programs->choices(f->code, f->module, resolver, add_choice, &c, reason, sizeof reason);

	f->function = resolver;
	if (c.failed)
		snprintf(reason, sizeof reason, "not all returns of its functions are known");
	if (r < 0 || !c.sites.nsites || c.failed)
		return probe_refuse(&f->to, D_PROC_CREATEFAIL, "failed to create %s probe for '%s': %s", name,
				    resolver->name, reason);
	pid_create(f, kind, name, &c.sites);
	return 0;
}

/* The function that an IFUNC stands for is one of those that its resolver can choose. Only the one that it has chosen
 * is executed, so all of them have the probe. */
int pid_create_chosen(struct pid_find *f, const struct program_function *resolver)
{
	const char *name = f->spec->name;
	int r = 0;

	if (probe_glob(name, "entry"))
		r = create_chosen(f, resolver, PID_ENTRY);
	if (!r && probe_glob(name, "return"))
		r = create_chosen(f, resolver, PID_RETURN);
	if (pid_is_pattern(name) || probe_glob(name, "entry") || probe_glob(name, "return"))
		return r;
	return probe_refuse(&f->to, D_PROC_CREATEFAIL, "failed to create probe '%s' in '%s': it is chosen at run time",
			    name, resolver->name);
}
