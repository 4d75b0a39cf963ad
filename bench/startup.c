/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * startup [-m MS] [-l LINES] [-s] RUNS NAME COMMAND... [-- NAME COMMAND...]...: runs the commands alternately in RUNS
 * rounds, so that noise affects all alike. Prints for each the median wall time with its quartiles, the ratio of the
 * median to the first command's, the mean CPU time, and the largest peak memory. Reports commands that fail.
 *	-m MS		the commands trace for this time, which is subtracted
 *	-l LINES	a command fails if it prints fewer lines
 *	-s		keeps the CPUs from idling
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/jobs.h"

struct how {
	double off;
	unsigned long lines;
	int spin;
};

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

static double timeval_ms(const struct timeval *tv)
{
	return (double)tv->tv_sec * 1e3 + (double)tv->tv_usec / 1e3;
}

static unsigned long count_lines(int fd)
{
	unsigned long n = 0;
	struct stat st;
	char *text;

	if (fstat(fd, &st) || st.st_size == 0)
		return 0;
	text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (text == MAP_FAILED)
		return 0;
	for (off_t i = 0; i < st.st_size; i++)
		n += text[i] == '\n';
	munmap(text, (size_t)st.st_size);
	return n;
}

static void run_once(struct job *j, int round, const struct how *how)
{
	int out = memfd_create("output", MFD_CLOEXEC), status;
	double start = now_ms();
	struct rusage ru = { 0 };
	pid_t pid = fork();

	if (pid == 0)
		job_exec(j, out);
	if (pid < 0 || wait4(pid, &status, 0, &ru) < 0)
		status = 1;
	j->value[round] = now_ms() - start - how->off;
	j->cpu += timeval_ms(&ru.ru_utime) + timeval_ms(&ru.ru_stime);
	if (ru.ru_maxrss / 1024.0 > j->extra)
		j->extra = ru.ru_maxrss / 1024.0;
	j->failed |= status != 0 || (how->lines && count_lines(out) < how->lines);
	close(out);
}

static int options(int argc, char **argv, struct how *how)
{
	int c;

	while ((c = getopt(argc, argv, "+m:l:s")) != -1) {
		if (c == 'm')
			how->off = atof(optarg);
		else if (c == 'l')
			how->lines = strtoul(optarg, NULL, 0);
		else if (c == 's')
			how->spin = 1;
		else
			return -1;
	}
	return 0;
}

static void print(struct job *jobs, int n, int runs)
{
	printf("%-34s %10s %17s %8s %8s %10s\n", "start to end", "median ms", "quartiles", "ratio", "CPU ms",
	       "peak MB");
	for (int i = 0; i < n; i++) {
		double median = job_quantile(&jobs[i], runs, 0.5);

		printf("%-34s %10.2f %8.2f-%8.2f %8.2f %8.2f %10.1f%s\n", jobs[i].name, median,
		       job_quantile(&jobs[i], runs, 0.25), job_quantile(&jobs[i], runs, 0.75),
		       median / job_quantile(&jobs[0], runs, 0.5), jobs[i].cpu / runs, jobs[i].extra,
		       jobs[i].failed ? "  (failed)" : "");
	}
}

int main(int argc, char **argv)
{
	static struct job jobs[JOBS_MAX];
	struct spinners spinners = { 0 };
	struct how how = { 0 };
	int runs = 0, n;

	if (options(argc, argv, &how) == 0 && argc - optind >= 3)
		runs = atoi(argv[optind]);
	if (runs < 1 || runs > JOBS_ROUNDS) {
		fprintf(stderr, "usage: startup [-m MS] [-l LINES] [-s] RUNS NAME COMMAND... "
				"[-- NAME COMMAND...]...\n");
		return 2;
	}
	n = jobs_split(argc - optind - 1, argv + optind + 1, jobs);
	if (how.spin)
		spinners_start(&spinners, SPIN_IDLE);
	for (int r = 0; r < runs; r++)
		for (int i = 0; i < n; i++)
			run_once(&jobs[i], r, &how);
	spinners_stop(&spinners);
	print(jobs, n, runs);
	return 0;
}
