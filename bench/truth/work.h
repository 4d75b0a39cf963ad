/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process whose shares are known: by its own CPU clock it spends 50 % of its time in f, 30 % in g, 20 % in h.
 *
 * f, g and h take turns in slices of 25 to 75 us, drawn at random, never periodic; who comes next is drawn too, with
 * weights that lead back to the shares over the next 50 ms. Nothing depends on how fast a part runs: the clock decides.
 * In WORK_USER they are loops, each in a function work_f, work_g, work_h whose address range is known; in WORK_SYSTEM
 * each is a system call of its own, and the thread's name is the part's.
 *
 * Why slices that short: two samples of a run at 997 Hz are 20 slices apart, so that they are independent draws and
 * the binomial interval holds. What is left of correlation is negative, because the shares are steered: with slices of
 * length L the variance is smaller than the binomial one by E[L^2] / E[L] / 1 ms = 5 %, the interval 2.7 % wider than
 * need be.
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

/* The part's name, which is its function's or, in system calls, the thread's; and the part's share. */
const char *work_name(unsigned part);
double work_share(unsigned part);
/* Where its loop stands in the process. */
struct work_range work_range(unsigned part);

/* Starts a child that works until it is stopped or this process ends; returns when its speed is known. */
bool work_start(struct work *w, enum work_mode mode, uint64_t seed);
void work_stop(struct work *w);
/* WORK_USER in this thread, until its CPU clock (CLOCK_THREAD_CPUTIME_ID) has reached `until` ns; adds to the page. */
void work_here(volatile struct work_page *page, uint64_t seed, uint64_t until);

#endif
