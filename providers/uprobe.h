/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs that run when a process executes certain instructions (uprobes). Kernels from 6.6 on attach a program to
 * many instructions of a file by one link; older ones need a perf event for each.
 *
 * The kernel replaces the instructions in the processes that have the file mapped; the file does not change. They are
 * restored when the descriptors are closed, also if dtr is killed. A helper process opens and closes them
 * (base/shield.h): kernels up to at least 6.18 leave breakpoints in a process if the caller is killed meanwhile.
 *
 * Ownership: the caller's struct links owns the descriptors.
 * Errors: uprobes_open returns -errno with a sentence in reason[n].
 */
#ifndef PROVIDERS_UPROBE_H
#define PROVIDERS_UPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "providers/links.h"

enum { UPROBE_MANY = 48 };	/* BPF_TRACE_UPROBE_MULTI, the attach type of such a link */

/* An instruction of a file. */
struct uprobe_site {
	uint64_t off;		/* in the file, bytes */
	uint64_t cookie;	/* what the program gets */
	uint64_t counter;	/* offset in the file of a 16-bit counter that each process increments while its
				 * instruction is replaced; 0: none */
};

/* The instructions of one file. */
struct uprobe_want {
	int prog_fd;
	int file;		/* descriptor of the file */
	int pid;		/* the process whose mappings of the file change; 0: all */
	bool returns;		/* fire at the return to the caller of the function that begins there */
	const struct uprobe_site *site;
	size_t n;
	/* Called for each site that the kernel cannot probe; the others are attached. NULL: uprobes_open fails. */
	void (*refused)(void *arg, size_t site, int err);
	void *arg;
};

/* True if this kernel has links for many instructions: then the program must be loaded for UPROBE_MANY. */
bool uprobe_many(void);
/* Attaches the program and adds its descriptors to *u. */
int uprobes_open(struct links *u, const struct uprobe_want *w, char *reason, size_t n);

#endif
