/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "bench/jobs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int jobs_split(int argc, char **argv, struct job *jobs)
{
	int n = 0;

	for (int i = 0; i < argc && n < JOBS_MAX; i++) {
		jobs[n].name = argv[i];
		jobs[n++].argv = &argv[i + 1];
		while (i < argc && strcmp(argv[i], "--") != 0)
			i++;
		argv[i] = NULL;
	}
	return n;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double job_median(struct job *j, int rounds)
{
	qsort(j->value, (size_t)rounds, sizeof *j->value, compare);
	return j->value[rounds / 2];
}

void job_exec(const struct job *j)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	execvp(j->argv[0], j->argv);
	_exit(127);
}
