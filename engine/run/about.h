/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The origin of a run's data: machine, target and time. Shown in JSON and pictures.
 * Ownership: plain data. Errors: none; unknown members are empty.
 */
#ifndef ENGINE_RUN_ABOUT_H
#define ENGINE_RUN_ABOUT_H

#include <stdbool.h>
#include <stdint.h>

struct run_about {
	char host[72];		/* the machine's name */
	char subject[256];	/* what was traced: "process 12", "the command 'make'" */
	char program[72];	/* file name of its program */
	bool timed;		/* `began` and `now` are known */
	uint64_t began, now;	/* CLOCK_MONOTONIC of that machine, ns */
	bool dated;		/* `wall` is known */
	uint64_t wall;		/* `began` in ns since 1970 */
};

#endif
