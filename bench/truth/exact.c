/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exact DTR SECONDS [check]: is `dtr exact` exact? Compares one period of a mixed load (busy processes of several nice
 * values, sleepers, a ping-pong of thousands of switches per second) with the kernel's own accounting:
 * /proc/PID/schedstat, and /proc/stat for idle and stolen time. Also shows samples of profile-997 from the same
 * period. Each share may differ by 0.05 percentage points plus the stolen time (which schedstat excludes).
 *
 * check: TAP, for busy machines. Readings shortly before and after both ends of the period bound the result of dtr,
 * however long "shortly" is.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NLOADS = 9 };

#define NAP 50000000ul		/* ns from one nap to the next */
#define STALE 20000000.0	/* ns: what interrupts add to the one account and not to the other, in seconds of this
				 * load */

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void until(uint64_t when)
{
	struct timespec ts = { .tv_sec = (time_t)(when / 1000000000), .tv_nsec = (long)(when % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* ---- the load ---- */

static int there[2], back[2];

static void spin(unsigned long n)
{
	volatile unsigned long sink = 0;

	(void)n;
	for (;;)
		sink++;
}

/* Works for some microseconds, then sleeps. Naps are few: schedstat adds the rest of the timer interrupt to the woken
 * thread, although it does not run yet; dtr counts from the switch. */
static void nap(unsigned long us)
{
	for (;;) {
		uint64_t at = now();

		while (now() < at + us * 1000)
			;
		until(at + NAP);
	}
}

static void work(unsigned long us)
{
	uint64_t at = now();

	while (now() < at + us * 1000)
		;
}

/* Each holds the ball for some microseconds. Both on one CPU: an interrupt from another CPU that wakes a thread reads
 * the clock, and schedstat counts from then on for the woken one, though the switch follows the interrupt, 8 us
 * later where it costs exits to a hypervisor; dtr counts from the switch on. A write() that wakes has next to nothing
 * between the two. */
static void ping(unsigned long us)
{
	char c = 'x';

	while (write(there[1], &c, 1) == 1 && read(back[0], &c, 1) == 1)
		work(us);
}

static void pong(unsigned long us)
{
	char c;

	while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
		work(us);
}

struct load {
	const char *name;
	void (*work)(unsigned long n);
	unsigned long n;
	int nice;
	pid_t pid;
	double switched;		/* per second */
	double ran[4];			/* ns by schedstat, at four moments: before and after both ends */
	double share, sampled;		/* percent, by dtr */
};

#define LOAD(title, what, how, at) { .name = title, .work = what, .n = how, .nice = at }

static const struct load plan[NLOADS] = {
	LOAD("spin+0", spin, 0, 0), LOAD("spin+5", spin, 0, 5), LOAD("spin+10", spin, 0, 10), LOAD("spin+19", spin, 0,
		19),
	LOAD("nap200", nap, 200, 0), LOAD("nap1000", nap, 1000, 0), LOAD("nap3000", nap, 3000, 0),
	LOAD("ping", ping, 60, -5), LOAD("pong", pong, 60, -5),
};

static void pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)sysconf(_SC_NPROCESSORS_ONLN) - 1, &set);
	if (sched_setaffinity(0, sizeof set, &set))
		_exit(1);
}

static void load_start(struct load *l)
{
	l->pid = fork();
	if (l->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, l->name);
	prctl(PR_SET_TIMERSLACK, 1000);
	if (l->work == ping || l->work == pong)
		pin();
	if (nice(l->nice) == -1 && l->nice)
		_exit(1);
	l->work(l->n);
	_exit(0);
}

/* ---- the kernel's accounting ---- */

/* The number of times a process has left its CPU. */
static double switches(pid_t pid)
{
	char path[64], line[256];
	double n = 0, more;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "voluntary_ctxt_switches: %lf", &more) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %lf", &more) == 1)
			n += more;
	if (f)
		fclose(f);
	return n;
}

/* Reading a CPU clock first makes the kernel update schedstat, which otherwise dates from the last tick; that tick may
 * have been stolen. */
static double schedstat(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;
	char path[64];
	double ns = 0;
	FILE *f;

	if (!clock_getcpuclockid(pid, &clock))
		clock_gettime(clock, &ts);
	snprintf(path, sizeof path, "/proc/%d/schedstat", pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%lf", &ns) != 1)
		ns = 0;
	if (f)
		fclose(f);
	return ns;
}

struct exact_machine {
	double idle, steal;		/* ns */
	uint64_t time;
};

static struct exact_machine machine(void)
{
	double user, nice, system, idle = 0, iowait = 0, irq, soft, steal = 0,
	tick = 1e9 / (double)sysconf(_SC_CLK_TCK);
	FILE *f = fopen("/proc/stat", "r");

	if (!f || fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &iowait, &irq, &soft,
			 &steal) != 8)
		idle = iowait = steal = 0;
	if (f)
		fclose(f);
	return (struct exact_machine){ .idle = (idle + iowait) * tick, .steal = steal * tick, .time = now() };
}

static struct exact_machine look(struct load *loads, int moment)
{
	for (int i = 0; i < NLOADS; i++)
		loads[i].ran[moment] = schedstat(loads[i].pid);
	return machine();
}

/* ---- dtr ---- */

static FILE *dtr_start(pid_t *pid, char *const argv[])
{
	int p[2];

	if (pipe2(p, O_CLOEXEC))
		return NULL;
	*pid = fork();
	if (*pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		dup2(p[1], 1);
		execv(argv[0], argv);
		_exit(127);
	}
	close(p[1]);
	return fdopen(p[0], "r");
}

struct exact_result {
	uint64_t begin, end;
	double idle, sum;
	int rows;
};

/* Reads rows of the table up to the line of the hook that ends it (or begins the period). */
static int table_read(FILE *f, struct load *loads, struct exact_result *r, uint64_t *begin, uint64_t *end)
{
	unsigned long long t, due;
	char line[512], name[64];
	double share;
	int pid;

	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "swept %llu %llu", &t, &due) == 2) {
			*begin = t;
			*end = due;
			return 0;
		}
		if (sscanf(line, "%lf %% - %63s", &share, name) == 2)
			r->idle = share;
		else if (sscanf(line, "%lf %% %d %63s", &share, &pid, name) != 3)
			continue;
		else
			for (int i = 0; i < NLOADS; i++)
				if (loads[i].pid == pid)
					loads[i].share = share;
		r->sum += share;
		r->rows++;
	}
	return -1;
}

static void samples_read(FILE *f, struct load *loads, double all)
{
	char line[256];
	int pid;
	double n;

	while (f && fgets(line, sizeof line, f))
		for (int i = 0; sscanf(line, "%d %lf", &pid, &n) == 2 && i < NLOADS; i++)
			if (loads[i].pid == pid)
				loads[i].sampled = 100 * n / all;
}

struct study {
	const char *dtr;
	unsigned seconds;
	bool check;
	struct load loads[NLOADS];
	struct exact_result r;
	struct exact_machine m[4];
	uint64_t inner;			/* the end of the third reading */
	pid_t exact, sampler;
	int failed, ntests;
};

static int study_run(struct study *s)
{
	char period[32], hook[256], script[128];
	char *const exact[] = { (char *)s->dtr, "exact", "-i", period, "-x", "aggsize=16m", "--hook", hook, NULL };
	char *const sampler[] = { (char *)s->dtr, "-qx", "ledger=off", "-n", script, NULL };
	static const char clause[] = "profile:::sweep-$1 /!arg0 && (arg1 || !swept++)/ { printf(\"swept %d %d\\n\", "
		"timestamp, arg1); }\n";
	const char *folder = getenv("TMPDIR");
	FILE *f, *g = NULL;
	uint64_t t;
	int fd, r;

	snprintf(period, sizeof period, "%us", s->seconds);
	snprintf(script, sizeof script, "profile-997 { @[pid] = count(); } tick-%us { printa(\"%%d %%@d\\n\", @); "
		 "exit(0); }", s->seconds);
	snprintf(hook, sizeof hook, "%s/dtr-exact-XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(hook);
	if (fd < 0 || write(fd, clause, sizeof clause - 1) < 0)
		return -1;
	close(fd);
	s->m[0] = look(s->loads, 0);
	f = dtr_start(&s->exact, exact);
	if (!s->check)
		g = dtr_start(&s->sampler, sampler);
	r = f ? table_read(f, s->loads, &s->r, &s->r.begin, &t) : -1;
	unlink(hook);
	if (r)
		return -1;
	s->m[1] = look(s->loads, 1);
	until(s->r.begin + s->seconds * 1000000000ull - 100000000);
	s->m[2] = look(s->loads, 2);
	s->inner = now();
	s->r.sum = 0;
	s->r.rows = 0;
	if (table_read(f, s->loads, &s->r, &t, &s->r.end))
		return -1;
	s->m[3] = look(s->loads, 3);
	for (int i = 0; i < NLOADS; i++)
		s->loads[i].switched = switches(s->loads[i].pid) / s->seconds;
	kill(s->exact, SIGTERM);
	samples_read(g, s->loads, 997.0 * s->seconds * (double)sysconf(_SC_NPROCESSORS_ONLN));
	return 0;
}

static void study_line(struct study *s, bool bad, const char *what, double share, double low, double high)
{
	s->failed |= bad;
	printf("%sok %d - %s: %.2f %%, by the kernel's own count %.2f to %.2f\n", bad ? "not " : "", ++s->ntests, what,
	       share, low,
	       high);
}

/* dtr rounds down. */
static void study_check(struct study *s, double all)
{
	bool inner = s->inner < s->r.end, bad;

	printf("# period %.3f s, stolen %.2f %%\n", (double)(s->r.end - s->r.begin) / 1e9,
	       100 * (s->m[3].steal - s->m[0].steal) / all);
	for (int i = 0; i < NLOADS; i++) {
		const struct load *l = &s->loads[i];
		double low = inner ? 100 * (l->ran[2] - l->ran[1] - STALE) / all - 0.01 : 0;
		double high = 100 * (l->ran[3] - l->ran[0] + STALE + s->m[3].steal - s->m[0].steal) / all;

		/* under emulation an interrupt takes as long as the work of those that it wakes, and schedstat gives it
		 * to them */
		if (l->work != spin && getenv("DTR_VM"))
			low = 0, high = 100;
		study_line(s, l->share < low || l->share > high, l->name, l->share, low, high);
	}
	bad = s->r.sum > 100.001 || s->r.sum < 99.989 - 0.01 * s->r.rows;
	s->failed |= bad;
	printf("%sok %d - %d rows add up to %.2f %%\n1..%d\n", bad ? "not " : "", s->ntests + 1, s->r.rows, s->r.sum,
	       s->ntests + 1);
}

/* The kernel's shares are of the time between two readings, some milliseconds after the ends of the period. */
static void study_report(struct study *s)
{
	double all = (double)(s->m[3].time - s->m[1].time) * (double)sysconf(_SC_NPROCESSORS_ONLN);
	double steal = 100 * (s->m[3].steal - s->m[1].steal) / all, idle = 100 * (s->m[3].idle - s->m[1].idle) / all;

	printf("%.3f s, %ld CPUs, stolen %.3f %%; by schedstat %.3f s\n%-10s %10s %10s %10s %8s %12s %8s\n",
	       (double)(s->r.end - s->r.begin) / 1e9,
	       sysconf(_SC_NPROCESSORS_ONLN), steal, (double)(s->m[3].time - s->m[1].time) / 1e9, "", "switches/s",
	       "schedstat", "exact", "error", "profile-997", "error");
	for (int i = 0; i < NLOADS; i++) {
		const struct load *l = &s->loads[i];
		double truth = 100 * (l->ran[3] - l->ran[1]) / all;
		bool bad = fabs(l->share - truth) > 0.05 + steal;

		printf("%-10s %10.0f %10.3f %10.2f %+8.3f %12.3f %+8.3f%s\n", l->name, l->switched, truth, l->share,
		       l->share - truth, l->sampled,
		       l->sampled - truth, bad ? "  WRONG" : "");
		s->failed |= bad;
	}
	printf("%-10s %10s %10.3f %10.2f %+8.3f   (by /proc/stat)\n%d rows add up to %.2f\n", "idle", "", idle,
	       s->r.idle, s->r.idle - idle,
	       s->r.rows, s->r.sum);
}

int main(int argc, char **argv)
{
	struct study s = { .dtr = argv[1], .seconds = argc > 2 ? (unsigned)atoi(argv[2]) : 0, .check = argc > 3 };
	int r;

	if (argc < 3 || !s.seconds || pipe(there) || pipe(back)) {
		fprintf(stderr, "usage: exact DTR SECONDS [check]\n");
		return 2;
	}
	memcpy(s.loads, plan, sizeof plan);
	for (int i = 0; i < NLOADS; i++)
		load_start(&s.loads[i]);
	if (!s.check && nice(-20) == -1)
		perror("exact: nice");
	usleep(200000);
	r = study_run(&s);
	for (int i = 0; i < NLOADS; i++)
		kill(s.loads[i].pid, SIGKILL);
	while (wait(NULL) > 0)
		;
	if (r) {
		printf("%s\n", s.check ? "Bail out! dtr exact said nothing" : "exact: dtr exact said nothing");
		return 1;
	}
	if (s.check)
		study_check(&s, (double)(s.r.end - s.r.begin) * (double)sysconf(_SC_NPROCESSORS_ONLN));
	else
		study_report(&s);
	return s.failed;
}
