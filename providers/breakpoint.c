/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/breakpoint.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "providers/perf.h"

struct perf_event_attr breakpoint_attr(unsigned kind, uint64_t addr, uint64_t length)
{
	struct perf_event_attr a = perf_attr(PERF_TYPE_BREAKPOINT, 0, 1);

	a.bp_type = kind;
	a.bp_addr = addr;
	a.bp_len = length;
	a.exclude_kernel = 1;
	a.exclude_hv = 1;
	a.remove_on_exec = 1;
	return a;
}

/* Is executed and writes its argument: each kind of breakpoint fires here. */
static __attribute__((noinline)) void breakpoint_target(volatile long *word)
{
	*word = 1;
}

int breakpoint_fires(unsigned kind)
{
	volatile long word = 0;
	uint64_t place = kind == HW_BREAKPOINT_X ? (uint64_t)(uintptr_t)breakpoint_target : (uint64_t)(uintptr_t)&word;
	struct perf_event_attr a = breakpoint_attr(kind, place, sizeof(long));
	uint64_t count[2] = { 0 };	/* and the run time */
	int fd, r;

	a.disabled = 0;
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	breakpoint_target(&word);
	r = read(fd, count, sizeof count) < 0 ? -errno : count[0] > 0;
	close(fd);
	return r;
}
