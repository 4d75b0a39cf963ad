/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Descriptors of links, by which programs are attached to instructions of processes or to functions of the kernel.
 *
 * Ownership: struct links owns its descriptors until links_close (idempotent; a zeroed one is closed).
 * Errors: -errno.
 */
#ifndef PROVIDERS_LINKS_H
#define PROVIDERS_LINKS_H

#include <stddef.h>
#include <stdint.h>

struct links {
	int *fd;
	size_t n, room;
};

/* Takes a descriptor and returns 0; or closes it and returns -ENOMEM. Returns a negative fd as it is. */
int links_keep(struct links *l, int fd);
/* Attaches a program to a perf event. Returns the link's descriptor, which holds the event, or -errno. */
int links_event(int event, int prog, uint64_t cookie);
/* Loads a program of a type (enum bpf_prog_type) that does nothing, to try what the kernel can. attach: the type of
 * attachment, btf_id: the kernel's type that it needs, or 0. Returns its descriptor or -errno. */
int links_try(unsigned type, unsigned attach, unsigned btf_id);
/* Moves the descriptors of `from` to `to`; without memory they are closed. */
void links_move(struct links *to, struct links *from);
/* If there are many, a child process closes them. It ends when the kernel has removed them, some 20 ms each. */
void links_close(struct links *l);

#endif
