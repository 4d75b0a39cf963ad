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

static void in_user(void)
{
	for (volatile unsigned long i = 0;; i++)
		;
}

/* Half of the time in user code, half in a system call with many functions. */
static void in_both(void)
{
	enum { USER_TURNS = 2000 };
	int fd = open("/proc/self/status", O_RDONLY);
	char text[4096];

	do {
		for (volatile unsigned i = 0; i < USER_TURNS; i++)
			;
	} while (pread(fd, text, sizeof text, 0) > 0);
}

/* Each call has a frame: the result is in memory, so no compiler turns the calls into a loop. */
__attribute__((noinline)) static int below(int n)
{
	volatile int r = 0;

	if (n == 0)
		in_both();
	else
		r = below(n - 1) + 1;
	return r;
}

static pid_t spin(int cpu, enum spin_kind kind)
{
	enum { DEPTH = 16 };
	pid_t pid = job_fork_on(cpu);

	if (pid != 0)
		return pid;
	if (kind == SPIN_IDLE)
		sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
	if (kind == SPIN_DEEP)
		below(DEPTH);
	in_user();
	_exit(1);
}

void spinners_start(struct spinners *s, enum spin_kind kind)
{
	int ncpu = (int)sysconf(_SC_NPROCESSORS_ONLN);

	for (s->n = 0; s->n < ncpu && s->n < JOBS_SPINNERS; s->n++)
		s->pid[s->n] = spin(s->n, kind);
}

void spinners_stop(struct spinners *s)
{
	for (int i = 0; i < s->n; i++) {
		kill(s->pid[i], SIGKILL);
		waitpid(s->pid[i], NULL, 0);
	}
	s->n = 0;
}
