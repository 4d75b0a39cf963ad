/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The run time of programs, measured by the kernel while BPF statistics are on (BPF_ENABLE_STATS).
 * Ownership: the struct owns the descriptor that keeps them on until cost_close (idempotent; zeroed is closed).
 * Errors: cost_open warns if it cannot turn them on.
 */
#ifndef ENGINE_BPF_GOVERN_COST_H
#define ENGINE_BPF_GOVERN_COST_H

#include "base/diag.h"
#include "engine/run/account.h"

struct cost {
	int fd;			/* descriptor + 1; 0 = off */
};

void cost_open(struct cost *c, struct diags *d);
bool cost_on(const struct cost *c);
/* Adds the cost of a program to *out. */
void cost_add(int progfd, struct dtr_cost *out);
void cost_close(struct cost *c);

#endif
