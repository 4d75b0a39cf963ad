/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of what names control groups: cgroupid, cgroup, container, pod, image, and -x cgroup.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_CGROUP_H
#define LANG_LOWER_CGROUP_H

#include "lang/lower/lower.h"

/* The number of the control group of the thread that the probe fires for, for the variable or call n. */
struct ir_arg lower_cgroup(struct lower *l, const struct node *n);
/* Whether its name is the constant call->args[1], a name of the kind (enum val_kind) of call->args[0]: 1 or 0. */
struct ir_arg lower_cgroup_is(struct lower *l, const struct node *call);
/* -x cgroup, -x container: jumps to `skip` if the thread is not in the control group, or in one below it. Not for
 * probes that fire for the session (BEGIN, END, tick). */
void lower_cgroup_only(struct lower *l, uint32_t skip);

#endif
