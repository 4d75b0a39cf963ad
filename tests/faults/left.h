/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What dtr has left in the kernel: BPF programs and maps named "dtr_..." that no process holds. Perf events, links and
 * uprobes cannot be without a descriptor or a program of ours, so where no process and no program is left, none is.
 */
#ifndef TESTS_FAULTS_LEFT_H
#define TESTS_FAULTS_LEFT_H

#include <stddef.h>

/*
 * The newest objects at a moment. What a test finds already is not its own: the kernel takes minutes to free hundreds
 * of arrays of programs (a grace period for each element), which an earlier test may have made.
 */
struct left_mark {
	unsigned int prog, map;
};
struct left_mark left_mark(void);

/* How many newer ones are left, after waiting up to `seconds` for the kernel to free them; `what` names one of them. */
int left_behind(struct left_mark since, unsigned int seconds, char *what, size_t n);

#endif
