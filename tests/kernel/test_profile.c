/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * profile and tick on this kernel: every CPU that is kept busy is sampled; a tick fires once an interval whether its
 * CPU is idle or not; CPUs that come and go; nothing is left open.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "tests/kernel/rig.h"
#include "tests/lib/kernel.h"

#define MS 1000000ull

struct tap {
	unsigned n;
	bool failed;
};

static void ok(struct tap *t, bool yes, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void ok(struct tap *t, bool yes, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %u - ", yes ? "" : "not ", ++t->n);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	t->failed |= !yes;
}

static void wait_ms(unsigned ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * (long)MS };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/* Until it is true: soon, however busy the machine is, or never. */
#define WAIT_UNTIL(condition)                                            \
	do {                                                             \
		for (unsigned ms_ = 0; !(condition) && ms_ < 60000; ms_++) \
			wait_ms(1);                                      \
	} while (0)

/* How long a process has run. */
static uint64_t ran_ns(pid_t pid)
{
	struct timespec ts = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * 1000 * MS + (uint64_t)ts.tv_nsec;
}

static unsigned open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* ---- profile ---- */

/* A CPU that a hypervisor takes away is not sampled, but the time that a program has run on it is. */
static void test_sampling(struct tap *t)
{
	struct rig r;
	pid_t spin = spin_start(0);
	uint64_t n, due, ran;

	if (!rig_open(&r, "profile-1ms") || rig_arm(&r, false)) {
		ok(t, false, "profile-1ms: %s", r.env.reason);
		spin_stop(spin);
		return;
	}
	ran = ran_ns(spin);
	wait_ms(1000);
	ran = (ran_ns(spin) - ran) / MS;
	rig_disarm(&r);
	spin_stop(spin);
	due = (r.stopped - r.armed) / MS;
	n = rig_notes(&r)->count[0];
	ok(t, n + 2 >= ran * 90 / 100 && n <= due + 1, "profile-1ms on a busy CPU: %llu of %llu, a program has run "
	   "for %llu",
	   (unsigned long long)n, (unsigned long long)due, (unsigned long long)ran);
	n = 0;
	for (unsigned i = 1; i < r.ncpus; i++)
		n += rig_notes(&r)->count[i] > due + 1;
	ok(t, n == 0, "no CPU has more firings than intervals");
	ok(t, rig_notes(&r)->both == 0 && rig_notes(&r)->kernel + rig_notes(&r)->user == rig_total(&r),
	   "exactly one of arg0 (%llu) and arg1 (%llu) is set", (unsigned long long)rig_notes(&r)->kernel,
	   (unsigned long long)rig_notes(&r)->user);
	ok(t, rig_notes(&r)->user + 2 >= ran * 80 / 100, "a spinning program is seen in user mode");
	ok(t, rig_notes(&r)->late_max < MS && rig_notes(&r)->late > 0,
	   "arg2 is less than the interval, %llu ns in the mean",
	   (unsigned long long)(rig_notes(&r)->late / (rig_total(&r) + 1)));
	rig_close(&r);
}

/* A CPU is let go, comes back; then its event dies as events do whose CPU was offline for a moment. */
static void test_cpus_come_and_go(struct tap *t)
{
	const struct provider *prov;
	struct rig r;
	pid_t spin;
	uint64_t before, gone, dead;
	int cpu;

	if (!rig_open(&r, "profile-997")) {
		ok(t, false, "profile-997");
		return;
	}
	cpu = r.cpus[r.ncpus - 1];
	spin = spin_start(cpu);
	prov = r.probe->prov;
	ok(t, !rig_arm(&r, false), "profile-997 is armed %s", r.env.reason);
	WAIT_UNTIL(rig_notes(&r)->count[cpu] > 50);
	prov->clock->refresh(r.probe, r.cpus, r.ncpus);
	prov->clock->refresh(r.probe, r.cpus, r.ncpus - 1);
	before = rig_notes(&r)->count[cpu];
	wait_ms(100);
	gone = rig_notes(&r)->count[cpu];
	ok(t, before > 50 && gone == before, "a CPU that goes offline is released");
	prov->clock->refresh(r.probe, r.cpus, r.ncpus);
	WAIT_UNTIL(rig_notes(&r)->count[cpu] > gone + 50);
	before = rig_notes(&r)->count[cpu];
	ok(t, before > gone + 50, "a CPU that comes online is used");
	prov->clock->refresh(r.probe, r.cpus, r.ncpus);
	ioctl(rig_timer(&r)->events.v[cpu].fd, PERF_EVENT_IOC_DISABLE, 0);
	prov->clock->refresh(r.probe, r.cpus, r.ncpus);	/* it has run since the last look */
	before = rig_notes(&r)->count[cpu];
	wait_ms(50);
	dead = rig_notes(&r)->count[cpu];
	prov->clock->refresh(r.probe, r.cpus, r.ncpus);
	WAIT_UNTIL(rig_notes(&r)->count[cpu] > dead + 50);
	ok(t, dead - before <= 1 && rig_notes(&r)->count[cpu] > dead + 50, "an event that no longer fires is replaced");
	spin_stop(spin);
	rig_close(&r);
}

/* ---- tick ---- */

struct profile_tally {
	uint64_t due, most, once, more, alt, first;
};

/* Up to which interval the pacer has looked. */
static uint64_t checked(struct rig *r)
{
	uint64_t n;

	pacer_lock(&r->pacer);
	n = rig_timer(r)->checked;
	pacer_unlock(&r->pacer);
	return n;
}

/* Those up to n that have fired. */
static uint64_t fired(struct rig *r, uint64_t n)
{
	uint64_t k = 0;

	for (uint64_t i = 0; i <= n && i < RIG_HITS; i++)
		k += rig_notes(r)->hits[i] > 0;
	return k;
}

/* Fires for a second; counts the intervals that fired once and those that did more often. */
static bool tick_run(struct rig *r, const char *probe, struct profile_tally *y)
{
	uint64_t interval, second;

	memset(y, 0, sizeof *y);
	if (!rig_open(r, probe))
		return false;
	rig_reverse(r);
	if (rig_arm(r, true)) {
		printf("# %s: %s\n", probe, r->env.reason);
		return false;
	}
	interval = rig_timer(r)->interval;
	wait_ms(1000);
	second = 1000 * MS / interval;
	WAIT_UNTIL(checked(r) >= second);
	y->due = checked(r);
	rig_disarm(r);
	y->most = (r->stopped - r->armed) / interval;
	for (unsigned i = 0; i < RIG_HITS; i++) {
		y->once += rig_notes(r)->hits[i] == 1;
		y->more += rig_notes(r)->hits[i] > 1;
	}
	y->alt = rig_notes(r)->alt;
	y->first = rig_notes(r)->first - r->armed;
	return true;
}

/* The longest time between two looks so far, in intervals. */
static uint64_t longest(struct rig *r, uint64_t span)
{
	pacer_lock(&r->pacer);
	if (rig_timer(r)->span > span)
		span = rig_timer(r)->span;
	pacer_unlock(&r->pacer);
	return span;
}

static void tick_check(struct tap *t, const char *probe, const char *where)
{
	struct profile_tally y;
	struct rig r;
	bool good = tick_run(&r, probe, &y);
	uint64_t most = y.most + 1;
	uint64_t interval = good ? rig_timer(&r)->interval : 1;

	/* the pacer itself may have had no CPU for so long that it was too late for some */
	ok(t, good && y.due && fired(&r, y.due) + rig_timer(&r)->given_up >= y.due && y.once <= most,
	   "%s, %s: %llu of %llu intervals (%llu by the second form), %llu given up at most", probe, where,
	   (unsigned long long)fired(&r, y.due), (unsigned long long)y.due, (unsigned long long)y.alt,
	   (unsigned long long)rig_timer(&r)->given_up);
	ok(t, good && y.more == 0 && rig_total(&r) == y.once, "none fires twice");
	ok(t, good && y.first > interval * 9 / 10, "the first firing is one interval after arming");
	ok(t, good && rig_notes(&r)->both == 0, "exactly one of arg0 and arg1 is set");
	rig_close(&r);
}

/* Busy CPUs: bit 0 the tick's own (the last one: the first is seldom idle for long), bit 1 all others. */
static void test_ticks(struct tap *t, unsigned busy, const char *where)
{
	static const char *const probes[] = { "tick-10ms", "tick-1000", "tick-5000" };
	pid_t spin[RIG_CPUS];
	long ncpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (ncpus > RIG_CPUS)
		ncpus = RIG_CPUS;
	for (long i = 0; i < ncpus; i++)
		spin[i] = busy & (i == ncpus - 1 ? 1 : 2) ? spin_start((int)i) : 0;
	for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
		tick_check(t, probes[i], where);
	for (long i = 0; i < ncpus; i++)
		spin_stop(spin[i]);
}

/*
 * While the perf event delivers by itself the pacer sleeps: hundreds of looks for thousands of intervals. It looks more
 * often after each firing that came late, which a machine with other work makes happen: until 64 in a row, 13 ms, were
 * in time.
 */
static void test_tick_looks_seldom(struct tap *t)
{
	pid_t spin = spin_start((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	uint64_t span = 0;
	struct rig r;

	if (rig_open(&r, "tick-5000")) {
		rig_reverse(&r);
		if (!rig_arm(&r, true))
			WAIT_UNTIL((span = longest(&r, span)) > 1);
	}
	rig_close(&r);
	ok(t, span > 1, "the pacer wakes only every %llu intervals while the CPU is busy", (unsigned long long)span);
	spin_stop(spin);
}

/* Moved to another CPU between two of its times, a tick keeps them: nothing fires twice or not at all. */
static void test_tick_keeps_time(struct tap *t)
{
	uint64_t due, twice = 0, n;
	struct rig r;

	if (!rig_open(&r, "tick-100ms") || rig_arm(&r, true)) {
		ok(t, false, "tick-100ms: %s", r.env.reason);
		return;
	}
	wait_ms(340);
	pacer_lock(&r.pacer);
	r.probe->prov->clock->refresh(r.probe, &r.cpus[r.ncpus - 1], 1);
	pacer_unlock(&r.pacer);
	WAIT_UNTIL(checked(&r) >= 9);
	due = checked(&r);
	rig_disarm(&r);
	for (uint64_t i = 0; i < RIG_HITS; i++)
		twice += rig_notes(&r)->hits[i] > 1;
	n = fired(&r, due);
	ok(t, due >= 9 && !twice && n + rig_timer(&r)->given_up >= due && rig_timer(&r)->cpu == r.cpus[r.ncpus - 1],
	   "a tick that moves keeps its time: %llu of %llu intervals, %llu given up at most, %llu twice",
	   (unsigned long long)n,
	   (unsigned long long)due, (unsigned long long)rig_timer(&r)->given_up, (unsigned long long)twice);
	rig_close(&r);
}

static void test_tick_moves(struct tap *t)
{
	struct rig r;
	pid_t spin;
	uint64_t n;
	int last;

	if (!rig_open(&r, "tick-1ms")) {
		ok(t, false, "tick-1ms");
		return;
	}
	last = r.cpus[r.ncpus - 1];
	spin = spin_start(last);
	ok(t, !rig_arm(&r, false), "tick-1ms is armed %s", r.env.reason);
	r.probe->prov->clock->refresh(r.probe, &last, 1);
	n = rig_notes(&r)->count[last];
	WAIT_UNTIL(rig_notes(&r)->count[last] > n + 50);
	ok(t, rig_timer(&r)->cpu == last && rig_notes(&r)->count[last] > n + 50, "a tick moves to another CPU");
	r.probe->prov->clock->refresh(r.probe, r.cpus, r.ncpus);
	ok(t, rig_timer(&r)->cpu == last, "and stays on it");
	spin_stop(spin);
	rig_close(&r);
}

/* ---- the rest ---- */

static void test_nothing_left(struct tap *t)
{
	static const char *const probes[] = { "profile-97", "tick-1s", "profile-1d", "tick-9223372036854775807ns" };
	unsigned before = open_files();
	bool good = true;

	for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
		struct rig r;

		good &= rig_open(&r, probes[i]) && !rig_arm(&r, true);
		wait_ms(5);
		rig_disarm(&r);
		rig_disarm(&r);		/* again: nothing happens */
		good &= !rig_arm(&r, true);
		rig_close(&r);
	}
	ok(t, good, "probes can be armed, disarmed, armed again");
	ok(t, open_files() == before, "no descriptor is left");
}

static void test_refused(struct tap *t)
{
	struct rig r;
	unsigned before;
	int err;

	if (!rig_open(&r, "profile-97")) {
		ok(t, false, "profile-97");
		return;
	}
	before = open_files();
	r.clock_source = "moonlight";
	ok(t, rig_arm(&r, false) == -EINVAL && strstr(r.env.reason, "profsrc=moonlight"),
	   "an unknown source is refused: %s", r.env.reason);
	r.clock_source = "cycles";
	err = rig_arm(&r, false);
	ok(t, !err || strlen(r.env.reason) > 20, "cycles: %s", err ? r.env.reason : "this machine offers it");
	rig_disarm(&r);
	ok(t, open_files() == before, "nothing stays open after a refusal");
	rig_close(&r);
}

int main(void)
{
	struct tap t = { 0 };

	if (kernel_skip())
		return 0;
	test_sampling(&t);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		test_cpus_come_and_go(&t);
	test_ticks(&t, 0, "every CPU idle");
	test_ticks(&t, 1, "its CPU busy");
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
		test_ticks(&t, 2, "its CPU idle, the others busy");
		test_ticks(&t, 3, "every CPU busy");
		test_tick_moves(&t);
		test_tick_keeps_time(&t);
	}
	test_tick_looks_seldom(&t);
	test_nothing_left(&t);
	test_refused(&t);
	printf("1..%u\n", t.n);
	return t.failed;
}
