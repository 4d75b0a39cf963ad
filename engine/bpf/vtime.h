/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The program for vtimestamp (lang/lower/vtime.c). It runs at every thread switch during the session.
 *
 * Ownership: struct bpf_vtime owns a descriptor; close is idempotent.
 * Errors: vtime_open returns -errno if the kernel refuses raw tracepoints.
 */
#ifndef ENGINE_BPF_VTIME_H
#define ENGINE_BPF_VTIME_H

struct bpf_vtime {
	int fd;		/* descriptor of the attachment; 0 = none */
};

/* Attaches the program, and initialises it for the threads that are running on these CPUs. Returns 0 or -errno. */
int vtime_open(struct bpf_vtime *v, int progfd, const int *cpus, unsigned ncpus);
void vtime_close(struct bpf_vtime *v);

#endif
