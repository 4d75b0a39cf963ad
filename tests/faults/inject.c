/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fault injection: runs each scenario once without a fault, then repeatedly with another failing allocation or system
 * call each time, and checks every result. Produces TAP; needs $DTR and $SRC.
 *
 *	inject [-s STRIDE] [-e ERRNO] [-n N] [-v] KIND [SCENARIO...]
 *
 * KIND alloc: the Nth allocation fails; oom: it and all later ones; call: the Nth system call; bpf: the Nth system call
 * for BPF and perf events. STRIDE 1 injects all faults; otherwise errors alternate. -n: only this fault; -v: shows each
 * result.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/faults/left.h"
#include "tests/faults/plan.h"
#include "tests/faults/run.h"
#include "tests/faults/scenario.h"
#include "tests/faults/trace.h"
#include "tests/lib/kernel.h"

static const int call_errors[] = { EPERM, ENOMEM, EINTR, EAGAIN, ENOSPC, EMFILE, EINVAL, E2BIG, 0 };
/* Not ENOENT: for a look-up it is no failure, but marks the end of the keys. */
static const int bpf_errors[] = { EPERM, ENOMEM, EINVAL, E2BIG, EBUSY, EFAULT, ENOSYS, EMFILE, 0 };
static const int alloc_errors[] = { ENOMEM, 0 };

static const struct fault_kind {
	const char *name;
	bool traced, kernel_only, onwards;
	const int *errors;
} kinds[] = {
	{ .name = "alloc", .errors = alloc_errors },
	{ .name = "oom", .onwards = true, .errors = alloc_errors },
	{ .name = "call", .traced = true, .errors = call_errors },
	{ .name = "bpf", .traced = true, .kernel_only = true, .errors = bpf_errors },
};

struct inject {
	const struct fault_kind *kind;
	unsigned long stride, only;
	int only_error;
	bool verbose;
	/* of the whole run */
	int tests, failed;
	char out[64];
	char preload[512];
	struct fault_plan *plan;
	int plan_fd;
	/* of the scenario */
	const struct scenario *s;
	struct run_result want;
	unsigned long runs, tolerated, last;
	unsigned long faults;		/* runs that ended wrongly */
	struct trace trace;
};

/* One run in which the Nth fails with `err`; with 0 none does. The counts are in trace or plan afterwards. */
static int inject_once(struct inject *x, unsigned long at, int err, struct run_result *r)
{
	char **argv = scenario_argv(x->s, x->out);
	struct run_plan plan = {
		.argv = argv, .seconds = 120, .output = scenario_output(x->s) ? x->out : NULL, .keys = x->s->keys,
	};
	int ret;

	x->trace = (struct trace){ .at = at, .err = err, .kernel_only = x->kind->kernel_only };
	*x->plan = (struct fault_plan){ .at = at, .onwards = x->kind->onwards };
	if (x->kind->traced) {
		plan.trace = &x->trace;
	} else {
		plan.preload = x->preload;
		plan.plan_fd = x->plan_fd;
	}
	ret = run(&plan, r);
	scenario_free(argv);
	return ret;
}

static bool same(const char *a, size_t n, const char *b, size_t m)
{
	return n == m && !memcmp(a, b, n);
}

/* Messages may be missing only if writing them failed. */
static bool told(const struct inject *x, const struct run_result *r)
{
	return r->err_len || (x->trace.hit && x->trace.hit_nr == 1 && x->trace.hit_arg == 2);
}

static size_t lines(const char *text, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += text[i] == '\n';
	return k;
}

/* The output is unchanged; or it has addresses instead of symbols, with a warning. */
static bool same_output(const struct inject *x, const struct run_result *r)
{
	const struct run_result *w = &x->want;

	return same(r->out, r->out_len, w->out, w->out_len) ||
	       (x->s->symbols && r->err_len && lines(r->out, r->out_len) == lines(w->out, w->out_len));
}

/* What is wrong with this result; NULL: nothing. */
static const char *inject_judge(struct inject *x, const struct run_result *r)
{
	const struct run_result *w = &x->want;

	if (r->hung)
		return "did not end";
	if (r->orphans)
		return "left a process behind";
	if (x->s->own_main && (WIFEXITED(r->status) || WTERMSIG(r->status) == SIGABRT))
		return NULL;	/* the main() of a test program may do anything without memory */
	if (WIFSIGNALED(r->status))
		return "ended by a signal";
	if (r->raw && x->trace.hit_nr != SYS_ioctl)
		return "terminal left in another state";
	if (strstr(r->err, "Sanitizer") || strstr(r->err, "runtime error:"))
		return "sanitizer report";
	if (r->err_len && r->err[r->err_len - 1] != '\n')
		return "message cut off";
	if (r->status == w->status && same_output(x, r)) {
		x->tolerated += r->status == 0;
		return w->status && !told(x, r) ? "no message" : NULL;
	}
	if (r->status == 0)
		return "status 0, but the output differs";
	return told(x, r) ? NULL : "failed without a message";
}

static void comment(const char *label, const char *text)
{
	printf("#   %s: ", label);
	for (const char *p = text; *p && p - text < 800; p++)
		if (*p == '\n' && p[1])
			printf("\n#     ");
		else if (*p != '\n')
			putchar(*p);
	putchar('\n');
}

static void inject_show(struct inject *x, unsigned long at, int err, const struct run_result *r, const char *wrong)
{
	printf("# %s %s %lu %s", x->kind->name, x->s->name, at, strerrorname_np(err));
	if (x->kind->traced)
		printf(" %s(%s%lld)", trace_name(x->trace.hit_nr), x->trace.hit_nr == 1 ? "" : "arg ",
		       (long long)x->trace.hit_arg);
	printf(": status %#x: %s\n", r->status, wrong ? wrong : "fine");
	comment("stdout", r->out);
	comment("stderr", r->err);
}

/* Injects and checks one fault. False: it was not reached, so there are no more. */
static bool inject_fault(struct inject *x, unsigned long at, int err)
{
	struct run_result r;
	const char *wrong;
	bool hit;

	if (inject_once(x, at, err, &r) < 0)
		return false;
	hit = x->kind->traced ? x->trace.hit : x->plan->hit;
	wrong = inject_judge(x, &r);
	if (wrong && x->faults++ < 20)
		inject_show(x, at, err, &r, wrong);
	else if (x->verbose)
		inject_show(x, at, err, &r, wrong);
	x->runs++;
	run_free(&r);
	return hit;
}

/* Every error at one place; with a stride only the next one. */
static bool inject_place(struct inject *x, unsigned long at)
{
	const int *e = x->kind->errors;
	size_t n = 0;
	bool hit = true;

	while (e[n])
		n++;
	if (x->only_error)
		return inject_fault(x, at, x->only_error);
	if (x->stride > 1)
		return inject_fault(x, at, e[x->runs % n]);
	for (size_t i = 0; i < n && hit; i++)
		hit = inject_fault(x, at, e[i]);
	return hit;
}

/* The first place, the last, and with the stride those between. As runs differ slightly, the last is found by the first
 * fault that is not reached. */
static void inject_sweep(struct inject *x)
{
	unsigned long at = 1;

	if (x->only) {
		inject_place(x, x->only);
		return;
	}
	while (inject_place(x, at))
		at += x->stride > 1 && x->s->sparse ? x->stride * x->s->sparse : x->stride;
	x->last = x->last < at ? x->last : at;
	if (x->stride > 1)
		inject_place(x, x->last);
}

static void inject_result(struct inject *x, bool ok, const char *why)
{
	x->tests++;
	x->failed += !ok;
	printf("%sok %d - %s: %s: %lu of %lu places, %lu tolerated%s%s\n", ok ? "" : "not ", x->tests, x->kind->name,
	       x->s->name, x->runs, x->last, x->tolerated, why ? ": " : "", why ? why : "");
	fflush(stdout);
}

static void inject_scenario(struct inject *x)
{
	struct left_mark mark = left_mark();
	char what[64];
	bool kernel = geteuid() == 0;

	x->runs = x->tolerated = x->faults = x->last = 0;
	if (inject_once(x, 0, 0, &x->want) < 0) {
		inject_result(x, false, "cannot run");
		return;
	}
	x->last = x->kind->traced ? x->trace.seen : x->plan->seen;
	if (x->want.hung || x->want.status != x->s->status << 8 || !(x->want.out_len + x->want.err_len)) {
		comment("stderr", x->want.err);
		inject_result(x, false, "wrong without a fault");
	} else if (!x->last) {
		inject_result(x, x->kind->kernel_only, "nothing to fail");
	} else {
		inject_sweep(x);
		if (kernel && left_behind(mark, 120, what, sizeof what))
			inject_result(x, false, what);
		else
			inject_result(x, !x->faults, x->faults ? "wrong ends" : NULL);
	}
	run_free(&x->want);
}

static bool wanted(const struct scenario *s, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(s->name, *names))
			return true;
	return false;
}

/* Makes a file that scenarios read. */
static bool inject_make(struct inject *x, const struct scenario *s)
{
	char **argv = scenario_argv(s, x->out);
	struct run_plan plan = { .argv = argv, .seconds = 120 };
	struct run_result r = { 0 };
	bool made = run(&plan, &r) == 0 && r.status == 0;

	if (!made) {
		comment("stderr", r.err ? r.err : "");
		x->s = s;
		inject_result(x, false, "failed to make it");
	}
	run_free(&r);
	scenario_free(argv);
	return made;
}

static void inject_remove(const struct inject *x)
{
	static const char *const ends[] = { ".rec", ".agg", ".1" };	/* .1: the version before, of aggsavekeep */
	char path[80];

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		snprintf(path, sizeof path, "%s%s", x->out, ends[i]);
		unlink(path);
	}
}

static int inject_prepare(struct inject *x)
{
	const char *dtr = getenv("DTR");

	if (!dtr || !getenv("SRC"))
		return -EINVAL;
	snprintf(x->out, sizeof x->out, "/tmp/dtr-inject.%d", getpid());
	snprintf(x->preload, sizeof x->preload, "%.*s/tests/faults/failalloc.so", (int)(strrchr(dtr, '/') - dtr), dtr);
	x->plan_fd = memfd_create("plan", MFD_CLOEXEC);
	if (x->plan_fd < 0 || ftruncate(x->plan_fd, sizeof *x->plan) < 0)
		return -errno;
	x->plan = mmap(NULL, sizeof *x->plan, PROT_READ | PROT_WRITE, MAP_SHARED, x->plan_fd, 0);
	return x->plan == MAP_FAILED ? -errno : run_init();
}

static int options(struct inject *x, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "s:e:n:v")) >= 0) {
		switch (c) {
		case 's': x->stride = strtoul(optarg, NULL, 10); break;
		case 'e': x->only_error = atoi(optarg); break;
		case 'n': x->only = strtoul(optarg, NULL, 10); break;
		case 'v': x->verbose = true; break;
		default: return -1;
		}
	}
	for (size_t i = 0; optind < argc && i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].name, argv[optind]))
			x->kind = &kinds[i];
	return x->kind && x->stride ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct inject x = { .stride = 1 };
	bool made;

	if (options(&x, argc, argv) < 0 || inject_prepare(&x) < 0) {
		fprintf(stderr, "usage: inject [-s STRIDE] [-e ERRNO] [-n N] [-v] alloc|oom|call|bpf [SCENARIO...]\n");
		return 2;
	}
	if (kernel_skip())
		return 0;
	if (x.kind->traced && !trace_supported()) {
		printf("1..0 # SKIP system calls can be made to fail on x86-64 only\n");
		return 0;
	}
	made = inject_make(&x, &scenario_recording) && inject_make(&x, &scenario_saved);
	for (unsigned int i = 0; made && i < scenario_count; i++) {
		x.s = &scenarios[i];
		if (wanted(x.s, argv + optind + 1) && !(x.s->own_main && x.kind->traced))
			inject_scenario(&x);
	}
	inject_remove(&x);
	printf("1..%d\n", x.tests);
	return x.failed != 0;
}
