/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What programs cost, as the kernel measures it while its BPF statistics are on.
 * Who owns what: the descriptor that keeps them on is the struct's until cost_close (idempotent; zeroed is closed).
 * What can fail: turning them on (a warning says so).
 */
#ifndef ENGINE_BPF_COST_H
#define ENGINE_BPF_COST_H

#include "base/diag.h"
#include "engine/run/account.h"

struct cost {
	int fd;			/* + 1; 0 = off */
};

void cost_open(struct cost *c, struct diags *d);
bool cost_on(const struct cost *c);
/* Adds what a program has cost. */
void cost_add(int progfd, struct dtr_cost *out);
void cost_close(struct cost *c);

#endif
