/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger: every kind of loss is caused deliberately. Each time, the account of every CPU must be exact: firings
 * expected by the clock = firings counted by the program of the probe + losses in the ledger, with none unexplained and
 * each loss in the correct column. The amount of loss depends on the machine and is not tested.
 *
 * With DTR_VM=1 the machine is the tests' own: then the kernel's limit on samples is lowered; with several CPUs, of
 * which none is exact there, one of them goes offline and nothing else is done.
 */
#include <bpf/bpf.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/dtr.h"
#include "tests/kernel/burn.h"
#include "tests/lib/kernel.h"

#define SEC 1000000000ull

enum { MAXCPUS = 64, CPU = 0 };

/* A run of a script and its conditions. */
struct ledger_run {
	const char *script, *ledger, *bufsize;
	uint64_t ns;				/* how long, */
	uint64_t busy;				/* and until `pid` has run for so long */
	uint64_t deaf;				/* so long at first the consumer sleeps, */
	pid_t pid;				/* and until this process has run for that long; or 0 */
	void (*meanwhile)(void *arg, uint64_t time);	/* called between two passes of the consumer; or NULL */
	void *arg;

	struct dtr_account all, cpu[MAXCPUS];
	unsigned ncpus;
	struct dtr_cost cost;
	char *out;
	size_t out_len;
	char messages[4096];
};

static int tests, failures;

static void ok(bool good, const char *name)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++tests, name);
	failures += !good;
}

static void note_message(void *arg, const char *text)
{
	struct ledger_run *r = arg;
	size_t n = strlen(r->messages);

	snprintf(r->messages + n, sizeof r->messages - n, "%s", text);
}

static void read_accounts(struct ledger_run *r, const struct dtr *t)
{
	bool beyond;

	if (!dtr_account(t, 0, -1, &r->all, &beyond))
		return;
	for (r->ncpus = 0; r->ncpus < MAXCPUS && dtr_account(t, 0, (int)r->ncpus, &r->cpu[r->ncpus], &beyond);
	     r->ncpus++)
		;
	dtr_cost(t, 0, &r->cost);
}

/* The run time of a process; 0: this one. */
static uint64_t ran(pid_t pid)
{
	struct timespec ts = { 0 };
	clockid_t clock;

	if (!clock_getcpuclockid(pid, &clock))
		clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * SEC + (uint64_t)ts.tv_nsec;
}

/* On a busy machine, it must also wait until the cause of the loss has run. */
static void work(struct ledger_run *r, struct dtr *t)
{
	uint64_t begin = clock_now(), from = ran(r->pid);

	if (r->deaf) {
		do
			usleep((useconds_t)(r->deaf / 1000));
		while (r->pid && ran(r->pid) - from < r->deaf);
	}
	while ((clock_now() - begin < r->ns || ran(r->pid) - from < r->busy) && dtr_work(t) == DTR_MORE) {
		if (r->meanwhile)
			r->meanwhile(r->arg, clock_now() - begin);
	}
}

/* The probe to be checked is the first one of the script. */
static bool run(struct ledger_run *r)
{
	struct dtr_config cfg = { .progname = "dtr", .message = note_message, .arg = r };
	struct dtr *t;
	bool good;

	cfg.out = open_memstream(&r->out, &r->out_len);
	t = dtr_open(&cfg);
	dtr_option(t, "quiet", NULL);
	dtr_option(t, "cost", NULL);
	dtr_option(t, "ledger", r->ledger ? r->ledger : "on");
	dtr_option(t, "switchrate", "10ms");
	if (r->bufsize)
		dtr_option(t, "bufsize", r->bufsize);
	good = !dtr_add_text(t, r->script, DTR_PROBE) && !dtr_compile(t) && !dtr_go(t);
	if (good) {
		work(r, t);
		good = !dtr_finish(t);
		read_accounts(r, t);
	}
	dtr_close(t);
	fclose(cfg.out);
	if (!good)
		printf("# %s# %s\n", r->messages, r->script);
	return good;
}

static void run_free(struct ledger_run *r)
{
	free(r->out);
}

/*
 * Runs it until firings of CPU were lost for this cause. Their number in a run depends on the speed of the processor,
 * so there are several attempts; if none has a loss, that is an error.
 */
static bool run_until_lost(struct ledger_run *r, enum dtr_loss cause)
{
	enum { RUNS = 10 };
	bool good = run(r);

	for (int i = 1; good && !r->cpu[CPU].lost[cause] && i < RUNS; i++) {
		run_free(r);
		r->out = NULL;
		r->messages[0] = '\0';
		good = run(r);
	}
	return good;
}

static bool adds_up(const struct dtr_account *a)
{
	int64_t sum = (int64_t)a->delivered;

	for (int i = 0; i < DTR_NLOSSES; i++)
		sum += a->lost[i];
	return sum == (int64_t)a->expected && !a->lost[DTR_LOST_UNKNOWN];
}

static void show(const struct dtr_account *a)
{
	printf("# cpu %2d: expected %" PRIu64 ", delivered %" PRIu64 ", lost", a->cpu, a->expected, a->delivered);
	for (int i = 0; i < DTR_NLOSSES; i++)
		printf(" %" PRId64, a->lost[i]);
	printf(", records %" PRIu64 "\n", a->records_lost);
}

/* The account of every CPU is exact, and so is their sum. */
static bool exact(const struct ledger_run *r)
{
	uint64_t expected = 0, delivered = 0;
	bool good = r->ncpus && r->all.causes && adds_up(&r->all);

	for (unsigned i = 0; i < r->ncpus; i++) {
		show(&r->cpu[i]);
		good = good && adds_up(&r->cpu[i]);
		expected += r->cpu[i].expected;
		delivered += r->cpu[i].delivered;
	}
	show(&r->all);
	return good && expected == r->all.expected && delivered == r->all.delivered;
}

/* expected agrees with the clock, up to the time for enabling probes and for the end of the session. */
static bool by_clock(const struct ledger_run *r, const struct dtr_account *a)
{
	uint64_t least = r->ns / a->interval;

	return a->expected >= least && a->expected * a->interval < r->ns + 10 * SEC;
}

/* What the script has counted on each CPU (lines "CPU COUNT") is what the account calls delivered. */
static bool counted(const struct ledger_run *r)
{
	uint64_t n[MAXCPUS] = { 0 }, count;
	unsigned cpu;
	int used;

	for (const char *p = r->out; p && sscanf(p, "%u %" SCNu64 " %n", &cpu, &count, &used) == 2; p += used) {
		if (cpu < MAXCPUS)
			n[cpu] = count;
	}
	for (unsigned i = 0; i < r->ncpus; i++) {
		if (n[i] != r->cpu[i].delivered)
			return false;
	}
	return true;
}

#define COUNTING(probe) probe " { @[cpu] = count(); } END { printa(\"%d %@d\\n\", @); }"

/* Keeps the CPU busy from now on. */
static pid_t spin(void)
{
	return spin_start(CPU);
}

static void test_plain(void)
{
	struct ledger_run r = { .script = COUNTING("profile-997"), .ns = SEC };
	pid_t spinner = spin();
	bool good = run(&r);

	spin_stop(spinner);
	ok(good && exact(&r), "997 Hz: the sum is exact");
	ok(good && by_clock(&r, &r.cpu[CPU]), "expected agrees with the clock");
	ok(good && counted(&r), "on each CPU, delivered equals the script's count");
	ok(good && !r.cpu[CPU].lost[DTR_LOST_IDLE] && !r.cpu[CPU].lost[DTR_LOST_OFFLINE],
	   "a CPU that was always busy lost nothing to idling");
	ok(good && r.cost.runs >= r.all.delivered && r.cost.ns, "the cost covers every firing");
	run_free(&r);
}

/* exit() stops the clock immediately; firings until the events are disabled are neither expected nor delivered. */
static void test_exit(void)
{
	struct ledger_run r = { .script = COUNTING("profile-4999") " tick-300ms { exit(0); }", .ns = 5 * SEC };
	bool good = run(&r);

	ok(good && exact(&r) && counted(&r), "exit(): the sum is exact");
	ok(good && r.cpu[CPU].expected < 5 * 4999, "nothing was expected after exit()");
	run_free(&r);
}

static void test_tick(void)
{
	struct ledger_run r = { .script = COUNTING("tick-1ms") " profile-97 { }", .ns = SEC };
	bool good = run(&r);

	ok(good && r.all.expected >= 1000 && adds_up(&r.all) && !r.ncpus,
	   "tick has an account without CPUs, and it is exact");
	show(&r.all);
	run_free(&r);
}

/* ---- nesting: system calls on maps keep the programs of perf events from running ---- */

static void loop_lookups(int fd, const volatile bool *stop)
{
	uint32_t key = 0, value;

	while (!*stop)
		bpf_map_lookup_elem(fd, &key, &value);
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

static pid_t lookups_start(int fd)
{
	const volatile bool never = false;
	pid_t pid;
	int ready[2];
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (pid) {
		close(ready[1]);
		if (read(ready[0], &c, 1) != 1)
			printf("# nobody reads the map\n");
		close(ready[0]);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stay_on(CPU);
	if (write(ready[1], "", 1) != 1)
		_exit(1);
	loop_lookups(fd, &never);
	_exit(0);
}

static void test_nested(void)
{
	struct ledger_run r = { .script = COUNTING("profile-4999"), .ns = SEC, .busy = SEC / 4 };
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test_busy", 4, 4, 1, NULL);
	pid_t pid = lookups_start(fd);
	bool good;

	r.pid = pid;
	good = run_until_lost(&r, DTR_LOST_NESTED);
	spin_stop(pid);
	close(fd);
	ok(good && exact(&r) && counted(&r), "beside another process that reads a BPF map: the sum is exact");
	ok(good && r.cpu[CPU].lost[DTR_LOST_NESTED] > 0, "firings were lost by nesting");
	ok(good && !r.cpu[CPU].lost[DTR_LOST_IDLE], "none is attributed to idling");
	run_free(&r);
}

/* The session's own snapshots: hundreds of keys, not known beforehand, hundreds of times a second, all read on the CPU
 * that is looked at. Reading row tables loses nothing, so there are none. */
static void test_own(void)
{
	struct ledger_run r = { .script = "#pragma D option aggtable=0\n"
					  "profile-4999 { @k[timestamp / 200000 % (300 + (cpu > 4096))] = count(); } "
					  "tick-4ms { printa(@k); }",
				.ns = 2 * SEC, .busy = SEC / 4 };
	cpu_set_t before;
	bool good;

	sched_getaffinity(0, sizeof before, &before);
	stay_on(CPU);
	good = run_until_lost(&r, DTR_LOST_OWN);
	sched_setaffinity(0, sizeof before, &before);
	ok(good && exact(&r), "beside snapshots: the sum is exact");
	ok(good && r.cpu[CPU].lost[DTR_LOST_OWN] > 0, "firings were lost to dtr's own snapshots");
	run_free(&r);
}

/* ---- late: a program in the timer interrupt keeps interrupts off for several intervals ---- */

static void test_late(void)
{
	struct ledger_run r = { .script = COUNTING("profile-4999"), .ns = SEC };
	struct burn burn;
	bool good = burn_start(&burn, CPU), ran;

	ok(good, "a program that keeps interrupts off loads");
	ran = good && run_until_lost(&r, DTR_LOST_LATE);
	burn_stop(&burn);
	ok(ran && exact(&r) && counted(&r), "with interrupts off for long: the sum is exact");
	ok(ran && r.cpu[CPU].lost[DTR_LOST_LATE] > 0, "intervals were left out");
	run_free(&r);
}

/* ---- the buffer is full because it is not read ---- */

static unsigned lines(const struct ledger_run *r)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->out_len; i++)
		n += r->out[i] == '\n';
	return n;
}

static void test_ring_full(void)
{
	struct ledger_run r = { .script = "profile-4999 { printf(\"x\\n\"); }", .ns = SEC, .deaf = SEC / 4,
		.bufsize = "4k" };
	pid_t spinner = spin();
	bool good;

	r.pid = spinner;
	good = run(&r);
	spin_stop(spinner);
	ok(good && exact(&r), "without a reader: the sum is exact");
	ok(good && r.all.records_lost > 0, "records were dropped because their buffer was full");
	ok(good && lines(&r) + r.all.records_lost == r.all.delivered, "every firing is printed or counted as a drop");
	run_free(&r);
}

/* ---- without the ledger ---- */

static void test_warning(void)
{
	struct ledger_run r = { .script = COUNTING("profile-4999"), .ns = SEC, .ledger = "warn" };
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test_busy", 4, 4, 1, NULL);
	pid_t pid = lookups_start(fd);
	bool good = run(&r);
	uint64_t missing = r.all.expected - r.all.delivered;

	spin_stop(pid);
	close(fd);
	printf("# %s", r.messages);
	ok(good && !r.all.causes && counted(&r), "without the ledger: delivered equals the script's count");
	ok(good && !!strstr(r.messages, "warning: profile-4999: ") == (missing * 100 > r.all.expected),
	   "a loss of over 1 % is reported, and nothing else");
	run_free(&r);
}

static void test_off(void)
{
	struct ledger_run r = { .script = COUNTING("profile-4999"), .ns = SEC / 5, .ledger = "off" };
	bool good = run(&r);

	ok(good && !strstr(r.messages, "warning") && !strstr(r.messages, "ledger"), "ledger=off reports nothing");
	run_free(&r);
}

/* ---- only in a virtual machine for the tests ---- */

static bool write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");
	bool good = f && fputs(text, f) >= 0;

	return (f ? !fclose(f) : false) && good;
}

static void test_throttled(void)
{
	static const char path[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	struct ledger_run r = { .script = COUNTING("profile-4999"), .ns = 2 * SEC };
	pid_t spinner = spin();
	bool good = write_file(path, "1000") && run(&r);

	write_file(path, "100000");
	spin_stop(spinner);
	ok(good && exact(&r) && counted(&r), "throttled: the sum is exact");
	ok(good && r.cpu[CPU].lost[DTR_LOST_THROTTLED] > 0, "the kernel throttled the event");
	run_free(&r);
}

#define CPU1 "/sys/devices/system/cpu/cpu1/online"

/* When the CPU went offline and came back, in ns of the run: before the request, and after it took effect. */
struct plug {
	struct ledger_run *run;
	uint64_t going, gone, coming;
	bool back;
};

static void plug(void *arg, uint64_t time)
{
	struct plug *p = arg;
	uint64_t begin = clock_now() - time;

	if (!p->going && time > SEC) {
		p->going = time;
		p->gone = write_file(CPU1, "0") ? clock_now() - begin : 0;
	} else if (p->gone && !p->coming && time > p->gone + 3 * SEC) {
		p->coming = time;
		p->back = write_file(CPU1, "1");
		p->run->ns = clock_now() - begin + 4 * SEC;	/* dtr looks for CPUs once a second */
	}
}

static void test_offline(void)
{
	struct ledger_run r = { .script = COUNTING("profile-997"), .ns = 120 * SEC, .meanwhile = plug };
	struct plug p = { .run = &r };
	bool good;
	int64_t lost;

	r.arg = &p;
	good = run(&r);
	write_file(CPU1, "1");
	ok(good && p.back && exact(&r), "a CPU goes offline and comes back: the sum is exact");
	lost = r.cpu[1].lost[DTR_LOST_OFFLINE];
	printf("# going at %" PRIu64 " ms, gone at %" PRIu64 ", coming at %" PRIu64 "\n", p.going / 1000000,
	       p.gone / 1000000,
	       p.coming / 1000000);
	ok(good && lost >= (int64_t)((p.coming - p.gone) * 997 / SEC) - 2 &&
	   lost <= (int64_t)((r.ns - p.going) * 997 / SEC) + 2,
	   "it lost the firings that were due while it was offline");
	ok(good && r.cpu[1].delivered > 0 && !r.cpu[0].lost[DTR_LOST_OFFLINE], "the other CPU lost nothing");
	run_free(&r);
}

int main(void)
{
	static void (*const always[])(void) = {
		test_plain, test_exit, test_tick, test_nested, test_own, test_late, test_ring_full, test_warning,
		test_off,
	};
	const char *vm = getenv("DTR_VM");

	if (kernel_skip_untyped())
		return 0;
	if (vm && !strcmp(vm, "1") && sysconf(_SC_NPROCESSORS_ONLN) > 1) {	/* where nothing is about rates */
		test_offline();
		printf("1..%d\n", tests);
		return failures > 0;
	}
	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		always[i]();
	if (vm && !strcmp(vm, "1"))
		test_throttled();
	printf("1..%d\n", tests);
	return failures > 0;
}
