/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs that run when the kernel enters or leaves certain functions (kprobes). Kernels with fprobes (CONFIG_FPROBE,
 * 5.18) attach a program to many functions by one link; others need a perf event for each.
 *
 * Ownership: the caller's struct links owns the descriptors.
 * Errors: kprobes_open returns -errno with a sentence in reason[n].
 */
#ifndef PROVIDERS_KPROBE_H
#define PROVIDERS_KPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "providers/links.h"

enum { KPROBE_MANY = 42 };	/* BPF_TRACE_KPROBE_MULTI, the attach type of such a link */

/* A function. */
struct kprobe_site {
	uint64_t addr;
	uint64_t cookie;	/* what the program gets */
};

struct kprobe_want {
	int prog_fd;
	bool returns;		/* fire when the functions return */
	const struct kprobe_site *site;
	size_t n;
	/* Called for each site that the kernel cannot probe; the others are attached. */
	void (*refused)(void *arg, size_t site, int err);
	void *arg;
};

/* True if this kernel has links for many functions: then the program must be loaded for KPROBE_MANY. */
bool kprobe_many(void);
/* Why this kernel has no kprobes; NULL: it has. */
const char *kprobe_lacks(void);
/* Attaches the program and adds its descriptors to *k. */
int kprobes_open(struct links *k, const struct kprobe_want *w, char *reason, size_t n);
/* Entries that did not fire because the CPU was in the program of another one; returns also because the kernel could
 * not keep as many calls. 0 before Linux 6.7. */
uint64_t kprobes_missed(const struct links *k);

#endif
