/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What counts mean in relation to others. */
#include <string.h>

#include "cmd/dtr/stat/print.h"

bool stat_is_counted(const struct dtr_count *c)
{
	return !c->reason && (c->running || !c->enabled);
}

double stat_estimate(const struct dtr_count *c)
{
	return c->running ? (double)c->value * ((double)c->enabled / (double)c->running) : 0;
}

static bool is_event(const struct dtr_count *c, const char *event)
{
	return c->event && !strcmp(c->event, event) && c->running && !c->reason;
}

/* The estimated count of an event, in the mode in which `like` is counted if there are several; 0: not counted. */
static double estimate_of(const struct stat_counts *c, const char *event, const struct dtr_count *like)
{
	const char *mode = strrchr(like->name, ':'), *other;

	for (unsigned i = 0; i < c->n; i++) {
		other = strrchr(c->v[i].name, ':');
		if (is_event(&c->v[i], event) && (mode ? other && !strcmp(mode, other) : !other))
			return stat_estimate(&c->v[i]);
	}
	return 0;
}

/* CPU time of the counted threads, ns; 0: not counted. */
static double cpu_time(const struct stat_counts *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (is_event(&c->v[i], "task_clock") || is_event(&c->v[i], "cpu_clock"))
			return stat_estimate(&c->v[i]);
	return 0;
}

static const struct relation {
	const char *event, *base;
	double factor;
	const char *unit;
} relations[] = {
	{ "PAPI_tot_ins", "PAPI_tot_cyc", 1, "insn per cycle" },
	{ "PAPI_br_msp", "PAPI_br_ins", 100, "% of all branches" },
	{ "PAPI_l3_tcm", "PAPI_l3_tca", 100, "% of all references" },
	{ "PAPI_l1_dcm", "PAPI_l1_dca", 100, "% of all L1 loads" },
	{ "PAPI_l3_ldm", "PAPI_l3_dcr", 100, "% of all LLC loads" },
	{ "PAPI_stl_icy", "PAPI_tot_cyc", 100, "% of the cycles" },
	{ "PAPI_res_stl", "PAPI_tot_cyc", 100, "% of the cycles" },
};

static bool derive_relation(const struct stat_counts *c, unsigned i, double *number, const char **unit)
{
	for (size_t k = 0; k < sizeof relations / sizeof *relations; k++) {
		double base = is_event(&c->v[i], relations[k].event) ? estimate_of(c, relations[k].base, &c->v[i]) : 0;

		if (!base)
			continue;
		*number = relations[k].factor * stat_estimate(&c->v[i]) / base;
		*unit = relations[k].unit;
		return true;
	}
	return false;
}

static void derive_rate(double v, double seconds, double *number, const char **unit)
{
	static const struct { double least; const char *unit; } units[] = {
		{ 1e9, "G/s" }, { 1e6, "M/s" }, { 1e3, "K/s" }, { 0, "/s" },
	};
	size_t k = 0;

	v /= seconds;
	while (v < units[k].least)
		k++;
	*number = units[k].least ? v / units[k].least : v;
	*unit = units[k].unit;
}

void stat_derive(const struct stat_counts *c, unsigned i, uint64_t elapsed, double *number, const char **unit)
{
	double time = cpu_time(c), v = stat_estimate(&c->v[i]);

	*unit = NULL;
	if (c->v[i].reason || !c->v[i].running || !elapsed)
		return;
	if (c->v[i].time) {
		*number = v / (double)elapsed;
		*unit = "CPUs utilized";
	} else if (is_event(&c->v[i], "PAPI_tot_cyc") && time > 0) {
		*number = v / time;
		*unit = "GHz";
	} else if (!derive_relation(c, i, number, unit)) {
		derive_rate(v, (time > 0 ? time : (double)elapsed) / 1e9, number, unit);
	}
}
