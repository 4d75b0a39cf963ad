/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/pidns_level.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include "engine/bpf/load/load.h"
#include "engine/bpf/load/program.h"

int pidns_level(struct arena *a, uint32_t thread_pid, uint32_t level)
{
	static const struct kernel_program program = { .function = "pidns_level", .name = "dtr_pidns" };
	LIBBPF_OPTS(bpf_test_run_opts, run);
	struct program_symbols symbols = { .arena = a };
	int fd, result = -1;

	if (!thread_pid || !level)
		return -1;
	program_number(&symbols, "task_thread_pid", thread_pid);
	program_number(&symbols, "pid_level", level);
	fd = program_load(&program, &symbols);
	if (fd >= 0 && !bpf_prog_test_run_opts(fd, &run))
		result = (int)run.retval;
	if (fd >= 0)
		close(fd);
	return result;
}
