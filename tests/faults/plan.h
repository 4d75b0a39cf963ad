/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which allocation of a run fails: memory that the driver shares with the preloaded failalloc.so. */
#ifndef TESTS_FAULTS_PLAN_H
#define TESTS_FAULTS_PLAN_H

struct fault_plan {
	unsigned long at;	/* the first to fail, from 1; 0: none */
	unsigned long onwards;	/* all later ones fail, too */
	unsigned long seen;	/* allocations so far */
	unsigned long hit;
};

#endif
