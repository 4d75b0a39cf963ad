/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The program behind vtimestamp (lang/lower_vtime.c): at every switch of threads, from the start of the session to its end.
 *
 * Who owns what: struct vtime owns a descriptor; close is idempotent.
 * What can fail: the kernel may refuse raw tracepoints: -errno.
 */
#ifndef ENGINE_BPF_VTIME_H
#define ENGINE_BPF_VTIME_H

struct vtime {
	int fd;		/* of the attachment; 0: none */
};

/* Attaches, and notes the threads that run on these CPUs. */
int vtime_open(struct vtime *v, int progfd, const int *cpus, unsigned ncpus);
void vtime_close(struct vtime *v);

#endif
