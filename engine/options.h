/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options: -x name=value, #pragma D option, DTR_OPT_NAME. One table in options.c.
 * Who owns what: strings are the caller's. What can fail: option_set, with a sentence in why.
 */
#ifndef ENGINE_OPTIONS_H
#define ENGINE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aggregation/agg.h"
#include "base/buf.h"

enum ledger_mode { LEDGER_WARN, LEDGER_OFF, LEDGER_ON, LEDGER_CPU };

struct options {
	uint64_t bufsize;	/* bytes of each CPU's record ring */
	uint64_t aggsize;	/* bytes per CPU for each keyed aggregation */
	uint64_t dynvarsize;	/* bytes for each associative array */
	uint64_t strsize;
	uint64_t switchrate;	/* ns between two passes of the consumer */
	uint64_t aggrate;	/* ns, accepted for compatibility */
	uint64_t statusrate;	/* ns between two looks at drops and CPUs */
	unsigned stackframes, ustackframes, jstackframes, maxframes, stackindent;
	bool quiet, destructive, zdefs, errtags, droptags, defaultargs, profself, cost;
	uint64_t ledger;	/* enum ledger_mode */
	uint64_t output;	/* number of the output's format, see engine/printer.h */
	struct agg_order order;	/* aggsortkey aggsortrev aggsortpos aggsortkeypos */
	const char *profsrc;
};

void options_init(struct options *o);

/* Sets one option: `value` NULL means "on". Sizes take k m g t, rates take hz ns us ms s m h d (a bare number is
 * hz for rates, as in DTrace). 0, or -1 with the reason in why (unknown names suggest the nearest). */
int option_set(struct options *o, const char *name, const char *value, char *why, size_t n);

/* DTR_OPT_NAME=value from the environment, then each is option_set. */
int options_from_env(struct options *o, char **environ_, char *why, size_t n);

/* "name  default  what it does", one line each, for --help and the docs. */
void options_help(struct buf *out);

#endif
