/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What takes the samples of profile-N, and what it cannot see. */
#include <string.h>

#include "engine/output/shares/shares.h"

static bool has_profile(const struct output *o)
{
	for (size_t i = 0; o->prog && i < o->prog->probes.n; i++) {
		const struct probe *p = o->prog->probes.v[i].probe;

		if (!strcmp(p->provname, "profile") && !strncmp(p->name, "profile-", strlen("profile-")))
			return true;
	}
	return false;
}

static const char interrupts[] = "It cannot see code that runs with interrupts off: the sample is taken where they are "
	"on again.";

static const struct {
	const char *engine, *source;	/* source: value of -x profsrc; NULL: any */
	bool blind, stops;
	struct share_source is;
} sources[] = {
	{ "bpf", "cycles", false, false, { "interrupts of the cycle counter (NMI)",
		"They cannot see CPUs that are halted: their counters stop." } },
	{ "bpf", NULL, false, false, { "a timer on each CPU", interrupts } },
	{ "user", NULL, true, false, { "run times of threads in /proc", "They cannot see where a thread runs." } },
	{ "user", NULL, false, true, { "stops of the running threads (ptrace)",
		"They cannot see the kernel's code: a thread stops where it returns from there." } },
	{ "user", NULL, false, false, { "timers of perf events", interrupts } },
	{ "recording", NULL, false, false, { "the timers of a recording", interrupts } },
	{ "recording", NULL, true, false, { "a recording of run times in /proc",
		"They cannot see where a thread ran." } },
};

struct share_source shares_source(const struct output *o)
{
	const char *chosen = o->opts->clock_source ? o->opts->clock_source : "";

	for (size_t i = 0; has_profile(o) && i < sizeof sources / sizeof *sources; i++)
		if (!strcmp(o->engine, sources[i].engine) && o->blind == sources[i].blind &&
		    o->stops == sources[i].stops &&
		    (!sources[i].source || !strcmp(chosen, sources[i].source)))
			return sources[i].is;
	return (struct share_source){ 0 };
}
