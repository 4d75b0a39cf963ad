/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sudden ends: dtr gets a signal at a random moment of its start, its run or its end. Afterwards nothing of it must
 * remain. After a signal that it handles, END must have run and the aggregations must be printed if tracing had begun.
 * The duration of a start is measured first, and moments are chosen from multiples of it. The first moment for each
 * signal is when tracing has begun.
 * Produces TAP; needs $DTR and $SRC.
 *
 *	ends [-n COUNT] [-s SEED]	COUNT moments for each signal
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/left.h"
#include "tests/faults/run.h"
#include "tests/faults/scenario.h"
#include "tests/lib/kernel.h"

#define BEGIN_END "BEGIN { printf(\"begin\\n\"); @n = count(); } END { printf(\"end\\n\"); " \
	"printa(\"agg %@d\\n\", @n); } "
#define SAMPLES "profile-997 { @p[tid, cpu] = count(); @k[cpu] = count(); } END { trunc(@p); trunc(@k); } tick-1ms { " \
	"printf(\"tick\\n\"); } "

static const struct moment_shape {
	struct scenario s;
	double starts;		/* signals come within so many times what a start takes, */
	unsigned int us;	/* and so long */
} shapes[] = {
	{ { .name = "runs", .words = { "%dtr", "-qn", BEGIN_END SAMPLES } }, 1, 70000 },
	{ { .name = "starts", .words = { "%dtr", "-qn", BEGIN_END SAMPLES } }, 1.5, 0 },
	{ { .name = "ends", .words = { "%dtr", "-qn", BEGIN_END SAMPLES "tick-15ms { exit(0); }" } }, 2, 20000 },
	{ { .name = "has a command", .words = { "%dtr", "-qn", BEGIN_END SAMPLES, "-c", "%spin 15" } }, 2, 20000 },
	{ { .name = "has a target", .words = { "%dtr", "-qn", BEGIN_END SAMPLES, "-p", "%pid" } }, 1, 30000 },
};

static const struct end {
	const char *name;
	int sig;
	bool twice;	/* within milliseconds, as timeout(1) does: one request */
} ends[] = {
	{ "kill -9", SIGKILL, false }, { "SIGINT", SIGINT, false }, { "SIGTERM", SIGTERM, false },
	{ "SIGHUP", SIGHUP, false }, { "SIGINT twice", SIGINT, true },
};

/* A signal later than this is another request (cmd/dtr/watch.c). */
#define SAME_REQUEST_NS 250000000ull

struct end_tally {
	uint64_t random, start_us;
	unsigned int wrong, before, whole, asked;	/* ended before tracing; ended with everything printed; asked
							 * twice */
};

static uint32_t random_below(struct end_tally *t, uint32_t n)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	return (t->random >> 16) % n;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool ends_with(const char *s, size_t n, const char *end)
{
	size_t m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* The output must be complete if tracing had begun, and empty otherwise. */
static const char *judge_output(struct end_tally *t, const struct run_result *r)
{
	if (!r->out_len) {
		t->before++;
		return WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0 ? "status 0 without output" : NULL;
	}
	if (WIFSIGNALED(r->status))
		return "killed though tracing had begun";
	if (WEXITSTATUS(r->status))
		return "failed";
	if (strncmp(r->out, "begin\n", 6))
		return "BEGIN is missing";
	if (!strstr(r->out, "\nend\nagg 1\n") || !ends_with(r->out, r->out_len, "\n"))
		return "END or an aggregation is missing";
	t->whole++;
	return NULL;
}

/* asked: the second signal came so late that it may have been another request, which ends dtr immediately. */
static const char *judge(struct end_tally *t, const struct end *e, bool asked, const struct run_result *r)
{
	if (r->hung)
		return "did not end";
	if (r->orphans)
		return "left a process behind";
	if (WIFSIGNALED(r->status) && WTERMSIG(r->status) != e->sig)
		return "crashed";
	if (e->sig == SIGKILL)
		return NULL;
	if (asked && WIFEXITED(r->status) && WEXITSTATUS(r->status) == 1) {
		t->asked++;
		return NULL;
	}
	if (r->out_len && r->out[r->out_len - 1] != '\n')
		return "half a line";
	return judge_output(t, r);
}

/* Waits until it has printed something; at most two minutes, reached only by a hang. */
static void wait_begun(const struct running *c)
{
	struct stat st;

	for (int i = 0; i < 600000 && !fstat(c->out, &st) && !st.st_size; i++)
		usleep(200);
}

/* The time that dtr takes to begin: the shortest of a few. */
static uint64_t start_us(void)
{
	char **argv = scenario_argv(&shapes[0].s, "");
	struct run_plan plan = { .argv = argv, .seconds = 120 };
	uint64_t least = UINT64_MAX;
	struct run_result r;
	struct running c;

	for (int i = 0; i < 3; i++) {
		uint64_t from = now(), took;

		if (run_start(&plan, &c) < 0)
			abort();
		wait_begun(&c);
		took = (now() - from) / 1000;
		least = took < least ? took : least;
		kill(c.pid, SIGKILL);
		run_end(&plan, &c, &r);
		run_free(&r);
	}
	scenario_free(argv);
	return least;
}

/* begun: the signal is sent when tracing has begun, otherwise at a random moment. */
static void one(struct end_tally *t, const struct end *e, const struct moment_shape *shape, bool begun)
{
	char **argv = scenario_argv(&shape->s, "");
	struct run_plan plan = { .argv = argv, .seconds = 120 };
	uint32_t delay = random_below(t, (uint32_t)(shape->starts * (double)t->start_us) + shape->us),
		again = random_below(t, 8000);
	struct run_result r;
	struct running c;
	const char *wrong;
	uint64_t sent;
	bool asked;

	if (run_start(&plan, &c) < 0)
		abort();
	if (begun)
		wait_begun(&c);
	else
		usleep(delay);
	sent = now();
	kill(c.pid, e->sig);
	if (e->twice) {
		usleep(again);
		kill(c.pid, e->sig);
	}
	asked = e->twice && now() - sent >= SAME_REQUEST_NS;	/* this process may have had no CPU */
	run_end(&plan, &c, &r);
	wrong = judge(t, e, asked, &r);
	if (wrong && t->wrong++ < 10)
		printf("# %s after %u us (again after %u), when it %s: status %#x: %s\n# out: %.60s ... %s\n# err: "
		       "%s\n", e->name,
		       delay, again, shape->s.name, r.status, wrong, r.out, r.out + (r.out_len > 60 ? r.out_len - 60 :
		       	0), r.err);
	run_free(&r);
	scenario_free(argv);
}

/* Is this process, which was the target, unchanged? */
static bool untouched(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[128];
	int tracer = -1;

	while (f && fgets(line, sizeof line, f))
		sscanf(line, "TracerPid: %d", &tracer);
	if (f)
		fclose(f);
	return tracer == 0;
}

int main(int argc, char **argv)
{
	unsigned int count = 40, n = sizeof ends / sizeof *ends, bad = 0;
	struct end_tally t = { .random = 88172645463325252ull };
	char what[64] = "";
	int c;

	while ((c = getopt(argc, argv, "n:s:")) >= 0) {
		if (c == 'n')
			count = atoi(optarg);
		else if (c == 's')
			t.random ^= strtoull(optarg, NULL, 10) * 0x9e3779b97f4a7c15ull;
		else
			return 2;
	}
	if (kernel_skip())
		return 0;
	if (!getenv("DTR") || run_init() < 0)
		return 2;
	t.start_us = start_us();
	printf("# a start takes %llu us\n", (unsigned long long)t.start_us);
	for (unsigned int i = 0; i < n; i++) {
		struct left_mark mark = left_mark();
		bool left, good;

		t.wrong = t.before = t.whole = t.asked = 0;
		for (unsigned int k = 0; k < count; k++)
			one(&t, &ends[i], &shapes[k % (sizeof shapes / sizeof *shapes)], k == 0);
		left = left_behind(mark, 120, what, sizeof what) > 0;
		good = !left && !t.wrong && untouched() && (ends[i].sig == SIGKILL || t.whole + t.asked > 0);
		bad += !good;
		printf("%sok %u - %s at %u moments: %u before tracing, %u with everything printed, %u asked again, %u "
		       "wrong%s%s\n",
		       good ? "" : "not ", i + 1, ends[i].name, count, t.before, t.whole, t.asked, t.wrong,
		       left ? ", left: " : "", left ? what : "");
	}
	printf("1..%u\n", n);
	return bad != 0;
}
