/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What dtr has left in the kernel: BPF programs and maps named "dtr_..." that no process holds. Perf events, links and
 * uprobes cannot be without a descriptor or a program of ours, so where no process and no program is left, none is.
 */
#ifndef TESTS_FAULTS_LEFT_H
#define TESTS_FAULTS_LEFT_H

#include <stddef.h>

/* How many are left, after waiting up to `seconds` for the kernel to free them; `what` names one of them. -errno. */
int left_behind(unsigned int seconds, char *what, size_t n);

#endif
