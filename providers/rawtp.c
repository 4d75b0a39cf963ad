/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/rawtp.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/errno_text.h"

int rawtp_open(const char *name, int prog_fd, char *reason, size_t n)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof attr);
	attr.raw_tracepoint.name = (uint64_t)(uintptr_t)name;
	attr.raw_tracepoint.prog_fd = (uint32_t)prog_fd;
	fd = (int)syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof attr);
	if (fd >= 0)
		return fd;
	if (errno == ENOENT && name)
		snprintf(reason, n, "this kernel has no tracepoint %s", name);
	else
		snprintf(reason, n, "tracepoint %s: %s", name ? name : "with types", errno_text(errno));
	return -errno;
}
