/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The governor's model of one probe. In a window of time a probe has R firings, of which P run:
 *
 *	time of its program = full * P + idle * (R - P)
 *
 * A probe that fires by the clock can first be made slower: then firings that are left out do not exist, and cost
 * nothing. N = rate * thin: the clock fires once in `rate` intervals, and one in `thin` of these firings runs.
 *
 * idle: the time of a firing that does not run; full: of one that runs, plus what this process spends on its record.
 * While all run, `full` is what was measured. From a `thin` of GOVERNED_ENOUGH on, nearly all time is that of firings
 * that do not run, so it gives `idle`.
 * Ownership: plain data. Errors: none.
 */
#ifndef ENGINE_BPF_GOVERN_MODEL_H
#define ENGINE_BPF_GOVERN_MODEL_H

#include <stdbool.h>
#include <float.h>
#include <stddef.h>
#include <stdint.h>

#define GOVERNED_FREE DBL_MAX

enum {
	GOVERNED_ENOUGH = 16,
	GOVERNED_MOST = 1 << 16,	/* the largest N */
	GOVERNED_CALM = 10,		/* so many windows in a row must allow a smaller N */
};

struct governed {
	size_t probe;			/* number of the enabled probe */
	int fd[2];			/* its programs, or -1 */
	uint64_t *thin, *thinned;	/* objects of enabled_probe; NULL: every firing runs */
	bool records;
	uint64_t n, most;		/* N now, and the largest */
	uint64_t rate, slowest;		/* rate now; the largest possible, 1 = it has no clock that can be slower */
	uint64_t rate_most;		/* the largest so far */
	unsigned calm;
	/* until the last window */
	uint64_t runs, ns, run;
	/* in the last window */
	double fired, performed, spent;	/* number, number, ns */
	double full, idle;		/* ns of a firing; 0 = not known */
};

/* Takes the counters of a window: runs and ns as of now. */
void governed_measure(struct governed *p, uint64_t runs, uint64_t ns);
/* Updates the model. own: what this process spends on a firing that runs, ns. */
void governed_learn(struct governed *p, double own);
/* What the probe would cost in a window like the last one, ns, except for what firings cost that do not run. */
double governed_work(const struct governed *p);
/* What firings cost that do not run, ns. */
double governed_rest(const struct governed *p);
/* The largest amount c for which the sum of min(work, c) over the probes is at most `allowed`. GOVERNED_FREE: no probe
 * needs to be thinned. 0: nothing is allowed. */
double governed_cap(const struct governed *v, size_t n, double allowed);
/* n / rate. */
uint64_t governed_thin(const struct governed *p);
/* Sets N, and with it `rate`, so that the probe's work is at most `cap`: a larger N only if `over`, a smaller one only
 * after a while. Returns true if N became larger. */
bool governed_set(struct governed *p, double cap, bool over);

#endif
