/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs for the packets of sockets: they run for each IP packet that a socket sends or gets, in all processes below
 * this process's root control group (cgroup v2; it need not be mounted). A program must let the packet pass (result 1).
 *
 * Ownership: the caller owns the descriptor; closing it detaches the program. Errors: cgroup_open returns -errno with a
 * sentence in reason[n].
 */
#ifndef PROVIDERS_CGROUP_H
#define PROVIDERS_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/* Attach points, instead of the name of a tracepoint. */
#define CGROUP_SENT "cgroup:egress"
#define CGROUP_RECEIVED "cgroup:ingress"

/* True if `at` is one of them. */
bool cgroup_is(const char *at);
/* Attaches the program. Returns a descriptor, or -errno. */
int cgroup_open(const char *at, int prog_fd, char *reason, size_t n);

#endif
