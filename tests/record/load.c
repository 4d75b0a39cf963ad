/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * load MS: uses MS milliseconds of CPU time in the three loops of bench/truth/work.h; then its child, called
 * "load-child", uses half as much. Each prints how much CPU time it has had, in ms: "NAME.PART MS" for each loop, then
 * "NAME MS" for the whole process.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/truth/work.h"

static double used_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void burn(const char *name, uint64_t ns)
{
	volatile struct work_page page = { 0 };

	work_here(&page, (uint64_t)getpid(), ns);
	for (unsigned i = 0; i < WORK_PARTS; i++)
		printf("%s.%s %.3f\n", name, work_name(i), (double)page.ns[i] / 1e6);
	printf("%s %.1f\n", name, used_ms());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	uint64_t ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 500) * 1000000;
	pid_t pid;

	burn("load", ns);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "load-child");
		burn("load-child", ns / 2);
		_exit(0);
	}
	return pid < 0 || waitpid(pid, NULL, 0) < 0;
}
