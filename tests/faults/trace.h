/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes the Nth system call of a process fail, by ptrace. The process and all its threads are followed, and children up
 * to their exec. Counting begins with main(): dtr's first call is fcntl(), which the dynamic loader never calls. Of
 * consecutive reads from one descriptor (thousands for /proc/kallsyms) only the 1st, 2nd, 4th, 8th and so on count.
 * Nothing is owned. A call that fails is not made, except close(), which closes and fails as in the kernel.
 */
#ifndef TESTS_FAULTS_TRACE_H
#define TESTS_FAULTS_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct trace {
	unsigned long at;	/* the call to fail, from 1; 0: only count */
	int err;		/* its error */
	bool kernel_only;	/* count only bpf(), perf_event_open(), and ioctl() and mmap() on their descriptors */
	/* results */
	unsigned long seen;
	bool hit;
	long hit_nr;
	uint64_t hit_arg;	/* its first argument */
	/* in between */
	pid_t main, pending;
	uint64_t saved;
	uint64_t read_fd;	/* the latest `reads` calls read from this descriptor */
	unsigned long reads;
	bool begun;
};

/* False if system calls cannot be changed on this machine. */
bool trace_supported(void);
/* In the child before exec. */
void trace_me(void);
/* The child's first stop: sets what is followed. */
void trace_begin(struct trace *t, pid_t pid);
/* Handles one stop that waitpid() returned, and resumes. */
void trace_stop(struct trace *t, pid_t pid, int status);

/* The call's name, for messages. */
const char *trace_name(long nr);

#endif
