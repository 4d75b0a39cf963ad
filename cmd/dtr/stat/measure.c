/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/stat/measure.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/dtr/child.h"
#include "cmd/dtr/program.h"
#include "cmd/dtr/say.h"

enum { NOT_FOUND = 127, NOT_EXECUTED = 126 };	/* as sh and time(1) */

struct measure {
	struct stat_run *run;
	struct dtr_counts *counts;
	struct child child;
	int target;			/* a pidfd, or -1 */
	uint64_t start;			/* CLOCK_MONOTONIC, ns */
	struct stat_counts last, now;	/* since the start: at the last interval, at this one */
	struct stat_counts part;	/* of this interval */
};

static int run_failed(struct stat_run *run, int status, const char *what, const char *name, const char *why)
{
	say("%s stat: %s%s%s%s\n", run->args->prog, what, name, *why ? ": " : "", why);
	run->status = status;
	return -1;
}

/* ---- counts ---- */

static struct stat_counts no_counts(const struct stat_run *run)
{
	unsigned n = (unsigned)run->args->events.n;

	return (struct stat_counts){ .v = arena_calloc(run->arena, n, sizeof(struct dtr_count)), .n = n };
}

static void read_counts(const struct measure *m, struct stat_counts *out)
{
	dtr_counts_read(m->counts, out->v);
	out->end = clock_now() - m->start;
}

static void keep_counts(const struct measure *m, struct stat_counts *out)
{
	struct arena *a = m->run->arena;

	*out = no_counts(m->run);
	read_counts(m, out);
	for (unsigned i = 0; i < out->n; i++) {
		out->v[i].name = arena_strdup(a, out->v[i].name);
		out->v[i].reason = out->v[i].reason ? arena_strdup(a, out->v[i].reason) : NULL;
	}
}

static void report_interval(struct measure *m)
{
	struct stat_counts before = m->last;

	read_counts(m, &m->now);
	m->part.begin = before.end;
	m->part.end = m->now.end;
	for (unsigned i = 0; i < m->now.n; i++) {
		m->part.v[i] = m->now.v[i];
		m->part.v[i].value -= before.v[i].value;
		m->part.v[i].enabled -= before.v[i].enabled;
		m->part.v[i].running -= before.v[i].running;
	}
	m->last = m->now;
	m->now = before;
	m->run->interval(m->run->arg, &m->part);
}

/* ---- the target ---- */

static int hold_command(struct measure *m)
{
	struct stat_run *run = m->run;
	char **words = run->args->words, path[PATH_MAX];
	int r = program_find(words[0], path, sizeof path);

	if (r)
		return run_failed(run, r == -ENOENT ? NOT_FOUND : NOT_EXECUTED, "failed to execute ", words[0],
			      dtr_error_text(-r));
	r = child_hold(&m->child, &(struct child_command){ .path = path, .words = words, .stack = run->stack });
	if (r)
		return run_failed(run, 1, "failed to start ", words[0], dtr_error_text(-r));
	return 0;
}

static int open_target(struct measure *m)
{
	struct stat_run *run = m->run;
	pid_t pid = run->args->words ? m->child.pid : run->args->pid;

	if (!pid)
		return 0;
	m->target = (int)syscall(SYS_pidfd_open, pid, 0);
	if (m->target < 0)
		return run_failed(run, 1, run->args->words ? "failed to watch the command" :
			      "failed to watch the process of -p", "", dtr_error_text(errno));
	return 0;
}

static int open_counts(struct measure *m)
{
	const struct stat_args *a = m->run->args;
	struct dtr_counts_args args = {
		.events = a->events.v, .n = (unsigned)a->events.n, .on_exec = a->words,
		.pid = a->all ? 0 : a->words ? m->child.pid : a->pid,
	};
	char reason[256];

	if (dtr_counts_open(&m->counts, &args, reason, sizeof reason))
		return run_failed(m->run, 1, reason, "", "");
	return 0;
}

static int begin_counting(struct measure *m)
{
	const struct stat_args *a = m->run->args;
	int r;

	if (!a->words || a->all)
		dtr_counts_start(m->counts);
	m->start = clock_now();
	r = a->words ? child_release(&m->child) : 0;
	if (r)
		return run_failed(m->run, r == -ENOENT ? NOT_FOUND : NOT_EXECUTED, "failed to execute ", a->words[0],
			      r == -ENOENT ? "its interpreter does not exist" : dtr_error_text(-r));
	return 0;
}

/* ---- waiting ---- */

/* The terminal sends Ctrl-C to the command, too; other signals are passed on. A second one ends the command. */
static void take_signal(struct measure *m)
{
	struct signalfd_siginfo si;
	int sig;

	if (read(m->run->signals, &si, sizeof si) != sizeof si)
		return;
	sig = m->run->interrupted ? SIGKILL : (int)si.ssi_signo;
	if (m->child.pid > 0 && (sig == SIGKILL || si.ssi_code != SI_KERNEL))
		kill(m->child.pid, sig);
	m->run->interrupted = true;
}

/* Milliseconds to the next interval; -1: none. */
static int interval_timeout(const struct measure *m, uint64_t next)
{
	uint64_t now = clock_now();

	if (!m->run->args->interval)
		return -1;
	return next <= now ? 0 : (int)((next - now + 999999) / 1000000);
}

static void wait_end(struct measure *m)
{
	uint64_t period = m->run->args->interval * (uint64_t)1000000, next = m->start + period;
	struct pollfd fds[] = {
		{ .fd = m->run->signals, .events = POLLIN }, { .fd = m->target, .events = POLLIN },
	};

	while (!(m->run->interrupted && !m->child.pid) && !fds[1].revents) {
		int n = poll(fds, 2, interval_timeout(m, next));

		if (n > 0 && fds[0].revents)
			take_signal(m);
		if (n != 0)
			continue;
		report_interval(m);
		while (next <= clock_now())
			next += period;
	}
}

static uint64_t time_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static void collect_results(struct measure *m, const struct rusage *before)
{
	struct stat_run *run = m->run;
	struct rusage after = *before;

	dtr_counts_stop(m->counts);
	keep_counts(m, &run->counts);
	if (run->args->interval)
		report_interval(m);
	if (m->child.pid > 0) {
		waitpid(m->child.pid, &m->child.status, 0);
		m->child.reaped = true;
		run->status = WIFSIGNALED(m->child.status) ? 128 + WTERMSIG(m->child.status) :
			      WEXITSTATUS(m->child.status);
	}
	getrusage(RUSAGE_CHILDREN, &after);
	run->user = time_ns(after.ru_utime) - time_ns(before->ru_utime);
	run->sys = time_ns(after.ru_stime) - time_ns(before->ru_stime);
}

int stat_measure(struct stat_run *run)
{
	struct measure m = { .run = run, .child = { .go = -1, .result = -1 }, .target = -1 };
	struct rusage before;
	int r;

	run->status = 0;
	if (run->args->interval)
		m.last = no_counts(run), m.now = no_counts(run), m.part = no_counts(run);
	getrusage(RUSAGE_CHILDREN, &before);
	r = (run->args->words && hold_command(&m)) || open_target(&m) || open_counts(&m) || begin_counting(&m) ? -1 : 0;
	if (!r) {
		wait_end(&m);
		collect_results(&m, &before);
	}
	child_close(&m.child);
	dtr_counts_close(m.counts);
	if (m.target >= 0)
		close(m.target);
	return r;
}
