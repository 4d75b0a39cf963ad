/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small commands that together exercise all of dtr, each with the same output in every run. In the words "%dtr",
 * "%spin", "%fetch", "%golden", "%src", "%out", "%rec", "%agg" and "%pid" stand for paths and the caller's pid. %rec
 * and %agg are a recording and saved aggregations, which the driver makes.
 */
#ifndef TESTS_FAULTS_SCENARIO_H
#define TESTS_FAULTS_SCENARIO_H

#include <stdbool.h>

#define SCENARIO_WORDS 10

struct scenario {
	const char *name;
	const char *words[SCENARIO_WORDS];
	int status;		/* without a fault */
	bool symbols;		/* prints symbols: a file that cannot be read has none, and addresses are shown */
	const char *keys;	/* runs on a terminal, where these keys were pressed before it started */
	unsigned int sparse;	/* has many places: one of so many is enough, times the stride; 0: all */
	bool own_main;		/* not dtr's main(): its beginning is unknown, so system calls are not counted */
};

extern const struct scenario scenarios[];
extern const unsigned int scenario_count;

/* The words to execute, allocated, NULL-terminated; `out` the output file's path, to which %rec adds ".rec", %agg
 * ".agg". scenario_free() for them. */
char **scenario_argv(const struct scenario *s, const char *out);
void scenario_free(char **argv);
/* True if the scenario writes a file. */
bool scenario_output(const struct scenario *s);
/* How %rec and %agg are made; not in `scenarios`. */
extern const struct scenario scenario_recording, scenario_saved;

#endif
