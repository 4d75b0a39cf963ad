/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Repeatedly keeps interrupts disabled on one CPU: a raw tracepoint program in the timer interrupt that copies memory
 * for a millisecond every ten milliseconds.
 *
 * Who owns what: the descriptors are the struct's until burn_stop.
 * What can fail: starting; the reason is printed on standard output.
 */
#ifndef TESTS_KERNEL_BURN_H
#define TESTS_KERNEL_BURN_H

#include <stdbool.h>

struct burn {
	int map, prog, link;
};

bool burn_start(struct burn *b, int cpu);
void burn_stop(struct burn *b);

#endif
