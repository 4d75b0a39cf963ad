/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects that dtr has left in the kernel: BPF programs and maps named "dtr_..." that no process holds. Perf events,
 * links and uprobes need a descriptor or one of dtr's programs, so none remains if no process and no program does.
 */
#ifndef TESTS_FAULTS_LEFT_H
#define TESTS_FAULTS_LEFT_H

#include <stddef.h>

/*
 * The newest objects at a moment. Objects that exist before a test are not its own: the kernel takes minutes to free
 * hundreds of program arrays of an earlier test (a grace period for each element).
 */
struct left_mark {
	unsigned int prog, map;
};
struct left_mark left_mark(void);

/* The number of newer objects that remain after waiting up to `seconds` for the kernel; `what` names one of them. */
int left_behind(struct left_mark since, unsigned int seconds, char *what, size_t n);

#endif
