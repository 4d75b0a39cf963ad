/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of the plockstat provider: locks of pthreads in processes that use glibc. A probe is a row of a table
 * (table.c). The sites of a row are instructions of glibc's functions, for each kind of place those of several
 * functions, and the system call by which a thread begins to wait. D expressions keep what a thread does between them
 * in thread-local variables of the prelude.
 *
 * Ownership: the arena of the probe set, except the descriptors (struct links).
 * Errors: as in struct provider.
 */
#ifndef PROVIDERS_PLOCKSTAT_PLOCKSTAT_H
#define PROVIDERS_PLOCKSTAT_PLOCKSTAT_H

#include "providers/program.h"
#include "providers/provider.h"

enum { PLOCK_SITES = 5, PLOCK_ARGS = 3 };

struct plock_row {
	const char *name;
	/* Ends with the first without `at`: the kind of the place, or a tracepoint (then ctx is IR_C_RAWTP). */
	struct probe_site site[PLOCK_SITES];
	struct arg_desc arg[PLOCK_ARGS];	/* ends with the first without `native` */
	const char *never;			/* reason why there is no such probe, or NULL */
	bool first;				/* fires before others at the same instruction */
};

/* Where functions begin or return. */
struct plock_place {
	const char *kind;			/* probe_site.at */
	const char *const *functions;		/* ends with NULL */
	bool returns;
};

/* ---- table.c ---- */
extern const struct plock_row plock_rows[];	/* ends with the first without `name` */
/* The place of this kind; NULL: it is a tracepoint. */
const struct plock_place *plock_place_of(const char *kind);

extern const struct provider provider_plockstat;

#endif
