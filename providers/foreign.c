/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of probes in scripts that were written for other systems. */
#include <stdio.h>
#include <string.h>

#include "providers/registry.h"

static const struct {
	const char *prov, *func;
	const char *here;	/* names on Linux, separated by blanks */
} foreign_names[] = {
#define FOREIGN(prov, func, here) { #prov, func, here },
#include "providers/foreign.def"
#undef FOREIGN
};

/* Modules of other systems' kernels that contain these providers' probes. */
static const char *const modules[] = { "freebsd", "genunix", "ip", "kernel", "mach_kernel", "unix" };

static const char *known_module(const char *mod)
{
	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
		if (!strcmp(mod, modules[i]))
			return "";
	}
	return mod;
}

static bool known_provider(const char *prov)
{
	static const char *const known[] = {
		"io", "ip", "lockstat", "mib", "proc", "sched", "syscall", "sysinfo", "tcp", "udp", "vminfo",
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(prov, known[i]))
			return true;
	return false;
}

/* NULL: not a name from another system. */
static const char *known_here(const struct probe_spec *spec)
{
	bool named = *spec->func && !probe_is_glob(spec->func);

	for (size_t i = 0; i < sizeof foreign_names / sizeof *foreign_names; i++) {
		if (!strcmp(spec->func, foreign_names[i].func) && !strcmp(spec->prov, foreign_names[i].prov))
			return foreign_names[i].here;
	}
	/* in a module of another system's kernel, a probe of these providers can be in any function */
	return named && known_provider(spec->prov) && strcmp(spec->prov, "syscall") &&
	       known_module(spec->mod) != spec->mod ? "*" : NULL;
}

/* A pattern does not stand for names here: a script has it beside its Linux counterpart. NULL: no name matches. */
static const char *known_match(const struct probe_spec *spec)
{
	for (size_t i = 0; i < sizeof foreign_names / sizeof *foreign_names; i++) {
		if (!strcmp(spec->prov, foreign_names[i].prov) && probe_glob(spec->func, foreign_names[i].func))
			return foreign_names[i].func;
	}
	return NULL;
}

const char *probe_is_foreign(const struct probe_spec *spec)
{
	const char *here = spec->id ? NULL : known_here(spec);

	if (spec->id || !*spec->func)
		return NULL;
	if (!strcmp(spec->prov, "syscall") && !probe_glob(spec->name, "entry") && !probe_glob(spec->name, "return"))
		return NULL;
	if (here)
		return *here ? NULL : spec->func;
	return probe_is_glob(spec->func) ? known_match(spec) : NULL;
}

bool foreign_to_local(const struct probe_spec *spec, unsigned n, struct probe_spec *here, char *func, size_t size)
{
	const char *names = known_here(spec), *mod = known_module(spec->mod);

	if (!known_provider(spec->prov) || (!names && mod == spec->mod))
		return false;
	if (!names)
		names = *spec->func ? spec->func : "*";
	for (; n && *names; n--) {
		names += strcspn(names, " ");
		names += *names == ' ';
	}
	if (!*names)
		return false;
	snprintf(func, size, "%.*s", (int)strcspn(names, " "), names);
	*here = *spec;
	here->mod = mod;
	here->func = *func == '*' ? "" : func;
	return true;
}
