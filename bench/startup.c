/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * startup RUNS NAME COMMAND... [-- NAME COMMAND...]...: runs the commands in turn, RUNS rounds, and prints for each the median
 * wall time, its ratio to the first one, and the largest peak memory. In turn, so that noise meets all alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/jobs.h"

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

static void run_once(struct job *j, int round)
{
	double start = now_ms();
	struct rusage ru;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		job_exec(j);
	if (pid < 0 || wait4(pid, &status, 0, &ru) < 0)
		status = 1;
	j->value[round] = now_ms() - start;
	if (ru.ru_maxrss / 1024.0 > j->extra)
		j->extra = ru.ru_maxrss / 1024.0;
	j->failed |= status != 0;
}

int main(int argc, char **argv)
{
	static struct job jobs[JOBS_MAX];
	int runs = argc > 3 ? atoi(argv[1]) : 0;
	int n;

	if (runs < 1 || runs > JOBS_ROUNDS) {
		fprintf(stderr, "usage: startup RUNS NAME COMMAND... [-- NAME COMMAND...]...\n");
		return 2;
	}
	n = jobs_split(argc - 2, argv + 2, jobs);
	for (int r = 0; r < runs; r++)
		for (int i = 0; i < n; i++)
			run_once(&jobs[i], r);
	printf("%-34s %10s %8s %10s\n", "start to end", "median ms", "ratio", "peak MB");
	for (int i = 0; i < n; i++) {
		double median = job_median(&jobs[i], runs);

		printf("%-34s %10.2f %8.2f %10.1f%s\n", jobs[i].name, median, median / job_median(&jobs[0], runs),
		       jobs[i].extra, jobs[i].failed ? "  (failed)" : "");
	}
	return 0;
}
