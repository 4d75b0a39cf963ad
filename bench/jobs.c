/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "bench/jobs.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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

double job_quantile(struct job *j, int rounds, double part)
{
	double at = part * (rounds - 1);
	int low = (int)at;

	qsort(j->value, (size_t)rounds, sizeof *j->value, compare);
	if (low + 1 >= rounds)
		return j->value[rounds - 1];
	return j->value[low] + (at - low) * (j->value[low + 1] - j->value[low]);
}

void job_exec(const struct job *j, int out)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(out < 0 ? null : out, 1);
	dup2(null, 2);
	execvp(j->argv[0], j->argv);
	_exit(127);
}

pid_t job_fork_on(int cpu)
{
	pid_t parent = getpid(), pid = fork();
	cpu_set_t set;

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
	return 0;
}

static pid_t spin(int cpu, int lowest)
{
	pid_t pid = job_fork_on(cpu);

	if (pid != 0)
		return pid;
	if (lowest)
		sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
	for (volatile unsigned long i = 0;; i++)
		;
}

void spinners_start(struct spinners *s, int lowest)
{
	int ncpu = (int)sysconf(_SC_NPROCESSORS_ONLN);

	for (s->n = 0; s->n < ncpu && s->n < JOBS_SPINNERS; s->n++)
		s->pid[s->n] = spin(s->n, lowest);
}

void spinners_stop(struct spinners *s)
{
	for (int i = 0; i < s->n; i++) {
		kill(s->pid[i], SIGKILL);
		waitpid(s->pid[i], NULL, 0);
	}
	s->n = 0;
}
