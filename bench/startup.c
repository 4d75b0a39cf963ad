/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * startup RUNS NAME COMMAND... [-- NAME COMMAND...]...: runs the commands in turn, RUNS rounds, and prints for each the median
 * wall time, its ratio to the first one, and the largest peak memory. In turn, so that noise meets all alike.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 16, MAX_RUNS = 1000 };

struct job {
	const char *name;
	char **argv;
	double ms[MAX_RUNS];
	long peak_kb;
	int failed;
};

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

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(j->argv[0], j->argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &ru) < 0)
		status = 1;
	j->ms[round] = now_ms() - start;
	if (ru.ru_maxrss > j->peak_kb)
		j->peak_kb = ru.ru_maxrss;
	j->failed |= status != 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int split(int argc, char **argv, struct job *jobs)
{
	int n = 0;

	for (int i = 0; i < argc && n < MAX_JOBS; i++) {
		jobs[n].name = argv[i];
		jobs[n++].argv = &argv[i + 1];
		while (i < argc && strcmp(argv[i], "--") != 0)
			i++;
		argv[i] = NULL;
	}
	return n;
}

int main(int argc, char **argv)
{
	static struct job jobs[MAX_JOBS];
	int runs = argc > 3 ? atoi(argv[1]) : 0;
	int n;

	if (runs < 1 || runs > MAX_RUNS) {
		fprintf(stderr, "usage: startup RUNS NAME COMMAND... [-- NAME COMMAND...]...\n");
		return 2;
	}
	n = split(argc - 2, argv + 2, jobs);
	for (int r = 0; r < runs; r++)
		for (int i = 0; i < n; i++)
			run_once(&jobs[i], r);
	printf("%-34s %10s %8s %10s\n", "start to end", "median ms", "ratio", "peak MB");
	for (int i = 0; i < n; i++) {
		qsort(jobs[i].ms, (size_t)runs, sizeof(double), compare);
		printf("%-34s %10.2f %8.2f %10.1f%s\n", jobs[i].name, jobs[i].ms[runs / 2],
		       jobs[i].ms[runs / 2] / jobs[0].ms[runs / 2], jobs[i].peak_kb / 1024.0,
		       jobs[i].failed ? "  (failed)" : "");
	}
	return 0;
}
