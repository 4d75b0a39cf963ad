/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process with known shares: by its own CPU clock it spends 50 % of its time in f, 30 % in g, 20 % in h.
 *
 * f, g and h alternate in random slices of 25 to 75 us, never periodically. The next part is random, too, with weights
 * that restore the shares over the next 50 ms. The speed of a part has no influence, as slices are measured by the
 * clock. In WORK_USER the parts are loops in functions work_f, work_g, work_h with known address ranges; in
 * WORK_SYSTEM each is a different system call, and the thread has the name of the part.
 *
 * Why slices are that short: two samples at 997 Hz are 20 slices apart, so they are independent draws and the binomial
 * interval holds. The remaining correlation is negative, because the shares are controlled: with slices of length L the
 * variance is smaller than the binomial one by E[L^2] / E[L] / 1 ms = 5 %, and the interval 2.7 % wider than necessary.
 *
 * Who owns what: the process and the shared page from work_start to work_stop. What can fail: starting: false.
 */
#ifndef BENCH_TRUTH_WORK_H
#define BENCH_TRUTH_WORK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { WORK_PARTS = 3 };
enum work_mode { WORK_USER, WORK_SYSTEM, WORK_MODES };

struct work_page {
	uint64_t ns[WORK_PARTS];	/* CPU time of each part so far, by the thread's own clock */
};

struct work {
	pid_t pid;
	volatile struct work_page *page;
};

struct work_range {
	uint64_t start, end;
};

/* The name of the part, which is that of its function or, in system calls, of the thread; and its share. */
const char *work_name(unsigned part);
double work_share(unsigned part);
/* The address range of its loop in the process. */
struct work_range work_range(unsigned part);

/* Starts a child that works until it is stopped or this process ends; returns after its speed has been measured. */
bool work_start(struct work *w, enum work_mode mode, uint64_t seed);
void work_stop(struct work *w);
/* WORK_USER in this thread, until its CPU clock (CLOCK_THREAD_CPUTIME_ID) has reached `until` ns; adds to the page. */
void work_here(volatile struct work_page *page, uint64_t seed, uint64_t until);

#endif
