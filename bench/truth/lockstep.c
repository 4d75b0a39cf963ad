/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lockstep DTR [RUNS [SECONDS]]: samples work that is driven by a timer itself. A process wakes every millisecond by an
 * absolute timer and works for 0.2 ms; a busy process of the lowest class uses the rest of its CPU. Runs of
 * profile-1000, in step with the work, and of profile-997 alternate. The true share is the CPU time of the process.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RUNS = 1000, RATES = 2, PERIOD = 1000000, WORK = 200000 };

struct lockstep_row {
	double share[MAX_RUNS], truth[MAX_RUNS];	/* % */
};

static const unsigned rates[RATES] = { 1000, 997 };

static double clock_s(clockid_t id)
{
	struct timespec ts = { 0 };

	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

static void work(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_nsec = 0;
	for (;;) {
		double until;

		ts.tv_nsec += PERIOD;
		if (ts.tv_nsec >= 1000000000) {
			ts.tv_nsec -= 1000000000;
			ts.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		until = clock_s(CLOCK_THREAD_CPUTIME_ID) + WORK / 1e9;
		while (clock_s(CLOCK_THREAD_CPUTIME_ID) < until)
			;
	}
}

/* Starts a child on `cpu`: the worker, or a busy process that runs only when nothing else does. */
static pid_t start(int cpu, int lowest)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	pin(cpu);
	if (!lowest)
		work();
	sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
	for (volatile unsigned long i = 0;; i++)
		;
}

static int measure(const char *dtr, unsigned rate, unsigned ms, int cpu, pid_t pid, double *share, double *truth)
{
	char cmd[1024];
	double all = 0, hits = 0, cpu0, wall0;
	clockid_t clock;
	FILE *p;
	int n;

	snprintf(cmd, sizeof cmd,
		 "'%s' -x ledger=off -qn 'profile-%u /cpu == %d/ { @n[0] = count(); } "
		 "profile-%u /pid == %d/ { @n[1] = count(); } tick-%ums { exit(0); } END { printa(\"%%@u\\n\", @n); }' "
		 "-x aggsortkey", dtr, rate, cpu, rate, pid, ms);
	if (clock_getcpuclockid(pid, &clock))
		return -1;
	cpu0 = clock_s(clock);
	wall0 = clock_s(CLOCK_MONOTONIC);
	p = popen(cmd, "r");
	n = p ? fscanf(p, "%lf %lf", &all, &hits) : 0;
	if (!p || pclose(p) != 0 || n < 1)
		return -1;
	*truth = 100 * (clock_s(clock) - cpu0) / (clock_s(CLOCK_MONOTONIC) - wall0);
	*share = 100 * hits / all;
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_row(struct lockstep_row *r, unsigned rate, unsigned runs)
{
	unsigned none = 0, most = 0;

	qsort(r->share, runs, sizeof *r->share, compare);
	qsort(r->truth, runs, sizeof *r->truth, compare);
	for (unsigned i = 0; i < runs; i++) {
		none += r->share[i] < 2;
		most += r->share[i] > 80;
	}
	printf("profile-%-6u %9.1f %9.1f %9.1f %9.1f %12u %12u\n", rate, r->truth[runs / 2], r->share[0],
	       r->share[runs / 2], r->share[runs - 1], none, most);
}

int main(int argc, char **argv)
{
	unsigned runs = argc > 2 ? (unsigned)atoi(argv[2]) : 20;
	double seconds = argc > 3 ? atof(argv[3]) : 1;
	static struct lockstep_row rows[RATES];
	int cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1, failed = 0;
	pid_t worker, filler;

	if (argc < 2 || runs < 1 || runs > MAX_RUNS || seconds < 0.01) {
		fprintf(stderr, "usage: lockstep DTR [RUNS [SECONDS]]\n");
		return 2;
	}
	worker = start(cpu, 0);
	filler = start(cpu, 1);
	for (unsigned r = 0; r < runs && !failed; r++)
		for (unsigned i = 0; i < RATES && !failed; i++)
			failed = measure(argv[1], rates[i], (unsigned)(seconds * 1000), cpu, worker, &rows[i].share[r],
					 &rows[i].truth[r]);
	kill(worker, SIGKILL);
	kill(filler, SIGKILL);
	while (wait(NULL) > 0)
		;
	if (failed) {
		fprintf(stderr, "lockstep: a run failed\n");
		return 1;
	}
	printf("work of 0.2 ms every 1 ms, %u runs of %g s\n", runs, seconds);
	printf("%-14s %9s %9s %9s %9s %12s %12s\n", "", "true %", "least %", "median %", "most %", "runs < 2 %",
	       "runs > 80 %");
	for (unsigned i = 0; i < RATES; i++)
		print_row(&rows[i], rates[i], runs);
	return 0;
}
