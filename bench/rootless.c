/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rootless ROUNDS LOAD NAME COMMAND... [-- NAME COMMAND...]...: the cost of profilers while every CPU runs the shell
 * command LOAD ("-": none): their CPU time, including start and end, and their number of samples. The commands
 * alternate.
 *
 * A NAME that begins with = takes no samples: only its CPU time is printed.
 * The number of samples is the number at the end of a line of output or before "samples"; that of lost ones is the
 * number before "drop" or after "lost".
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/jobs.h"

/* Totals of one job over all rounds. */
struct counts {
	double wall[JOBS_ROUNDS];
	unsigned long samples, lost;
};

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static double usage_ms(const struct rusage *r)
{
	return (double)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) * 1e3 +
	       (double)(r->ru_utime.tv_usec + r->ru_stime.tv_usec) / 1e3;
}

/* ---- the load ---- */
static pid_t load_start(const char *command, int cpu)
{
	pid_t pid = job_fork_on(cpu);

	if (pid)
		return pid;
	setpgid(0, 0);
	if (!freopen("/dev/null", "w", stdout))
		_exit(1);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void loads_start(struct spinners *s, const char *command)
{
	int ncpu = (int)sysconf(_SC_NPROCESSORS_ONLN);

	for (s->n = 0; strcmp(command, "-") && s->n < ncpu && s->n < JOBS_SPINNERS; s->n++)
		s->pid[s->n] = load_start(command, s->n);
	usleep(300000);
}

/* ---- the output of a job ---- */
static unsigned long number_before(const char *line, const char *word)
{
	const char *p = strstr(line, word);

	while (p && p > line && (p[-1] < '0' || p[-1] > '9'))
		p--;
	while (p && p > line && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return p ? strtoul(p, NULL, 10) : 0;
}

static unsigned long number_last(const char *line)
{
	const char *p = line + strlen(line);

	while (p > line && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return p == line || p[-1] == ' ' ? strtoul(p, NULL, 10) : 0;
}

static void count_line(struct counts *c, const char *line)
{
	const char *lost = strcasestr(line, "lost ");

	if (strstr(line, " drop"))
		c->lost += number_before(line, " drop");
	else if (lost)
		c->lost += strtoul(lost + 5, NULL, 10);
	else if (strstr(line, " samples"))
		c->samples += number_before(line, " samples");
	else
		c->samples += number_last(line);
}

static void count_output(struct counts *c, int fd)
{
	char line[4096];
	FILE *f;

	lseek(fd, 0, SEEK_SET);
	f = fdopen(fd, "r");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		count_line(c, line);
	}
	if (f)
		fclose(f);
}

static void run_once(struct job *j, struct counts *c, int round)
{
	int out = memfd_create("output", MFD_CLOEXEC), status = 1;
	double start = now_ms();
	struct rusage ru = { 0 };
	pid_t pid = fork();

	if (pid == 0) {
		dup2(out, 1);
		dup2(out, 2);
		execvp(j->argv[0], j->argv);
		_exit(127);
	}
	if (pid > 0)
		wait4(pid, &status, 0, &ru);
	j->failed |= status != 0;
	j->value[round] = usage_ms(&ru);
	c->wall[round] = now_ms() - start;
	count_output(c, out);
}

static void print(struct job *jobs, struct counts *c, int n, int rounds)
{
	printf("| | CPU ms | quartiles | of one CPU | samples | lost |\n|---|---|---|---|---|---|\n");
	for (int i = 0; i < n; i++) {
		double cpu = job_quantile(&jobs[i], rounds, 0.5);
		struct job wall;

		if (jobs[i].name[0] == '=') {
			printf("| %s | %.1f | %.1f-%.1f | | | |\n", jobs[i].name + 1, cpu, job_quantile(&jobs[i],
				rounds, 0.25),
			       job_quantile(&jobs[i], rounds, 0.75));
			continue;
		}
		memcpy(wall.value, c[i].wall, sizeof wall.value);
		printf("| %s | %.1f | %.1f-%.1f | %.2f %% | %lu | %lu |%s\n", jobs[i].name, cpu, job_quantile(&jobs[i],
			rounds, 0.25),
		       job_quantile(&jobs[i], rounds, 0.75), 100 * cpu / job_quantile(&wall, rounds, 0.5),
		       c[i].samples / (unsigned long)rounds, c[i].lost / (unsigned long)rounds,
		       jobs[i].failed ? " (failed)" : "");
	}
}

int main(int argc, char **argv)
{
	static struct job jobs[JOBS_MAX];
	static struct counts counts[JOBS_MAX];
	struct spinners load = { 0 };
	int rounds = argc > 1 ? atoi(argv[1]) : 0, n;

	if (argc < 5 || rounds < 1 || rounds > JOBS_ROUNDS) {
		fprintf(stderr, "usage: rootless ROUNDS LOAD NAME COMMAND... [-- NAME COMMAND...]...\n");
		return 2;
	}
	n = jobs_split(argc - 3, argv + 3, jobs);
	loads_start(&load, argv[2]);
	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < n; i++)
			run_once(&jobs[i], &counts[i], r);
	for (int i = 0; i < load.n; i++)
		kill(-load.pid[i], SIGKILL);
	while (load.n--)
		waitpid(load.pid[load.n], NULL, 0);
	print(jobs, counts, n, rounds);
	return 0;
}
