/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/perf_attr.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "engine/unwind/unwind.h"

void perf_attr_init(struct perf_event_attr *a)
{
	a->size = sizeof *a;
	a->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	a->sample_id_all = 1;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	a->exclude_kernel = a->exclude_hv = 1;
	a->watermark = 1;
}

void perf_attr_unwind(struct perf_event_attr *a, uint32_t bytes)
{
	a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a->sample_regs_user |= unwind_mask();
	a->sample_stack_user = bytes;
}

int perf_try_unwind(uint32_t bytes)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .sample_period = 1, .disabled = 1,
	};
	int fd;

	perf_attr_init(&a);
	perf_attr_unwind(&a, bytes);
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}
