/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "engine/sample/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/openfiles.h"
#include "engine/run/options.h"
#include "engine/sample/seize.h"
#include "engine/sample/stopped.h"
#include "engine/sample/traceable.h"
#include "engine/symbols/maps.h"

/* The time between two rounds, if they do not cost more than 1/SHARE of a CPU: short, so that threads that run for a
 * moment are seen running; at higher rates shorter than their interval, so that a thread has no two firings in a round,
 * which would be at one place. */
#define ROUND_NS 2000000ull
#define ROUND_LEAST_NS 800000ull
enum { SHARE = 50, LATE_ROUNDS = 50 };
/* How often threads are searched for that were not reported; how often the target is tried until it may be traced. */
#define SEARCH_NS 1000000000ull
#define TRY_NS 200000ull
/* How long the end waits for threads that were asked to stop. */
#define FINISH_NS 100000000ull

#define OPTIONS (PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC)

int tracer_open(struct tracer *t, const struct source_want *w, char *reason, size_t n)
{
	int err;

	*t = (struct tracer){ .want = w };
	err = traceable_check(w, &t->held, reason, n);
	if (err)
		return err;
	t->own = traceable_status((uint32_t)w->target, "PPid") == getpid();
	t->room = !w->ustacks ? 0 : w->unwind ? w->unwind : (uint32_t)w->opts->unwindsize;
	t->stack = t->room ? arena_alloc(w->arena, t->room) : NULL;
	return 0;
}

/* ---- the account ---- */

/* The firings due of a thread. Its first interval begins at a random place, so that of many short threads the right
 * number of firings is due. */
static double task_due(const struct task *x, uint64_t interval)
{
	return (double)x->ran / (double)interval + x->phase;
}

/* Reads how long a thread has run. The descriptor of its schedstat is kept. Returns how long it has waited for a CPU
 * while it could run, ns; 0: unknown. */
static uint64_t task_read(struct task *x)
{
	char text[128], *end;
	ssize_t n = x->counter < 0 ? -1 : pread(x->counter, text, sizeof text - 1, 0);
	uint64_t ns = 0, waited = 0;

	if (n > 0) {
		text[n] = '\0';
		ns = strtoull(text, &end, 10);
		waited = strtoull(end, NULL, 10);
	}
	if (!ns && !task_ran(x, &ns))
		return waited;
	if (x->unbased)
		x->base = ns;
	x->unbased = false;
	x->ran = ns > x->base ? ns - x->base : 0;
	return waited;
}

/* The thread's CPU time at `time`. What was read may be newer: it never advances faster than the clock. */
static void task_clock(struct task *x, uint64_t time)
{
	uint64_t ran = x->base + x->ran, most = x->clock + (time - x->read);

	x->clock = !x->read || ran < most ? ran : most;
	x->read = time;
}

/* The firings that a thread lacks now. */
static uint64_t firings_missing(const struct tracer *t, const struct task *x, unsigned rate)
{
	double due = task_due(x, t->interval[rate]) - (double)x->share[rate].seen;

	return due >= 1 ? (uint64_t)due : 0;
}

static void sample_put(struct tracer *t, struct task *x, unsigned rate, uint64_t weight, struct captured *c)
{
	if (c) {
		c->item.kind = SOURCE_SAMPLE;
		c->item.sample.time = c->item.sample.time ? c->item.sample.time : clock_now();
		c->item.sample.weight = weight;
		c->item.sample.rate = rate;
		c->item.sample.cpu = x->cpu;
		task_clock(x, c->item.sample.time);
		task_sample(x, &c->item.sample);
		if (c->item.sample.task)
			c->task = x->more;
	}
	captures_put(t->out, c, rate);
}

/* The firings that a thread lacks at its end: their place is unknown. */
static void thread_settle(struct tracer *t, struct task *x)
{
	t->ended++;
	for (unsigned rate = 0; rate < t->nrates; rate++) {
		uint64_t n = firings_missing(t, x, rate);

		t->total[rate] += (double)x->ran / (double)t->interval[rate];
		if (n)
			sample_put(t, x, rate, n, capture_new(0));
	}
}

/* ---- threads ---- */
static void event_put(struct tracer *t, enum source_kind kind, const struct task *x, const struct task *parent,
		      bool exec)
{
	struct captured *c = capture_new(0);

	if (c) {
		c->item.kind = kind;
		c->item.exec = exec;
		c->item.sample.time = clock_now();
		task_sample(x, &c->item.sample);
		c->item.sample.task = NULL;
		c->item.parent = parent ? parent->pid : 0;
		c->item.ptid = parent ? parent->tid : 0;
	}
	captures_put(t->out, c, t->nrates);
}

struct mapping_place {
	struct tracer *t;
	const struct task *task;
};

static void mapping_put(void *arg, const struct maps_line *l)
{
	const struct mapping_place *p = arg;
	const char *path = *l->file.path ? l->file.path : "//anon";
	struct captured *c;

	if (!l->code)
		return;
	c = capture_new(strlen(path) + 1);
	if (!c) {
		captures_put(p->t->out, NULL, p->t->nrates);
		return;
	}
	c->item.kind = SOURCE_MAP;
	c->item.sample.time = clock_now();
	task_sample(p->task, &c->item.sample);
	c->item.sample.task = NULL;
	c->item.mapping = (struct sample_mapping){
		.start = l->at.start, .size = l->at.end - l->at.start, .offset = l->at.off,
		.major = major(l->file.dev), .minor = minor(l->file.dev), .inode = l->file.ino,
	};
	strcpy(c->data, path);
	captures_put(p->t->out, c, p->t->nrates);
}

/* A thread begins to be followed. known: it has run before; its time so far does not count. */
static struct task *thread_add(struct tracer *t, uint32_t pid, uint32_t tid, bool known)
{
	struct task *x = tasks_add(&t->tasks, pid, tid);
	char path[80];

	if (!x)
		return NULL;
	snprintf(path, sizeof path, "/proc/%u/task/%u/schedstat", pid, tid);
	x->counter = open(path, O_RDONLY | O_CLOEXEC);
	if (x->counter > t->most_fd) {	/* other files are needed, too */
		close(x->counter);
		x->counter = -1;
	}
	x->phase = erand48(t->seed);
	x->unbased = known && !task_ran(x, &x->base);
	return x;
}

static void thread_drop(void *arg, struct task *x)
{
	(void)arg;
	if (x->counter >= 0)
		close(x->counter);
}

static void thread_end(struct tracer *t, struct task *x)
{
	task_read(x);
	thread_settle(t, x);
	event_put(t, SOURCE_EXIT, x, NULL, false);
	tasks_remove(&t->tasks, x);
}

/* The process consists of one thread now, whose ID is the process's. */
static void process_executed(struct tracer *t, struct task *x)
{
	for (struct task *o = t->tasks.first, *next; o; o = next) {
		next = o->newer;
		if (o != x && o->pid == x->pid)
			thread_end(t, o);
	}
	if (task_more(x, true))
		x->more_at = clock_now();
	t->unprivileged += traceable_strips(x->pid, x->more.euid, x->more.egid);
	event_put(t, SOURCE_COMM, x, NULL, true);
	maps_lines(x->pid, mapping_put, &(struct mapping_place){ t, x });
}

/* True if a thread of the process is traced, so that all that it creates are. */
static bool process_traced(const struct tracer *t, uint32_t pid)
{
	for (const struct task *x = t->tasks.first; x; x = x->newer)
		if (x->pid == pid && x->traced)
			return true;
	return false;
}

/* After the first search a process that is traced reports its new threads. They must not be traced here: PTRACE_SEIZE
 * waits until the end of an exec, which waits until this thread lets all others of the process end. */
static void thread_found(void *arg, uint32_t pid, uint32_t tid)
{
	struct tracer *t = arg;
	struct task *x = tasks_find(&t->tasks, tid);

	if (pid != t->process)
		t->reports = t->searched && process_traced(t, pid);
	t->process = pid;
	if (t->reports)
		return;
	if (x && x->pid != pid) {	/* the ID belongs to another process now */
		thread_end(t, x);
		x = NULL;
	}
	if (!x)
		thread_add(t, pid, tid, true);
}

static int thread_attach(const struct tracer *t, const struct task *x)
{
	return seize_thread(x->tid, OPTIONS | (t->own && x->tid == t->want->target ? PTRACE_O_TRACEEXIT : 0));
}

/* Its process has executed a program before all its threads were traced: it has another first thread now. */
static bool thread_lost(const struct task *x)
{
	return errno == ESRCH && !traceable_status(x->tid, "TracerPid");
}

/* The command that was taken over goes on. */
static void target_continue(struct tracer *t, const struct task *x)
{
	if (t->held && x->tid == t->want->target)
		kill((pid_t)x->tid, SIGCONT);
	t->held &= x->tid != t->want->target;
}

static bool thread_dead(struct task *x)
{
	return !task_stat(x) || x->more.state == 'Z' || x->more.state == 'X';
}

/* Traces a thread that is not yet. A command that is still held is tried again later. */
static void thread_seize(struct tracer *t, struct task *x)
{
	int err = thread_dead(x) ? ESRCH : thread_attach(t, x);

	if (err == ESRCH || (err && err != EAGAIN && thread_dead(x))) {
		thread_end(t, x);
		return;
	}
	if (err && err != EAGAIN) {
		if (traceable_held(x->pid))
			return;
		err = thread_attach(t, x);	/* it was released meanwhile */
	}
	t->waits |= err == EAGAIN;
	x->traced = !err;
	t->found |= x->traced;
	if (x->traced && x->lost) {
		process_executed(t, x);
		t->waits = true;	/* the search goes on in the next round: threads were removed */
	}
	x->lost &= !x->traced;
	if (!err || err == EAGAIN)
		return;
	t->refused++;
	x->ended = true;		/* not sampled: its firings have no place */
	target_continue(t, x);
}

static void threads_search(struct tracer *t)
{
	unsigned before;

	t->process = 0;
	t->waits = false;
	/* until no thread was created meanwhile by one that was not traced yet */
	do {
		before = t->tasks.n;
		tasks_of_tree((uint32_t)t->want->target, thread_found, t);
		for (struct task *x = t->tasks.first, *next; x && !t->waits; x = next) {
			next = x->newer;
			if (!x->traced && !x->ended)
				thread_seize(t, x);
		}
	} while (t->tasks.n > before && !t->waits);
	t->searched = clock_now();
}

/* ---- events ---- */

/* A thread that a traced one has created, which is traced already. parent: NULL if its first stop comes before the
 * report of its parent. */
static struct task *thread_created(struct tracer *t, uint32_t tid, const struct task *parent)
{
	struct task *x = tasks_find(&t->tasks, tid);
	int64_t pid = parent && task_exists(parent->pid, tid) ? parent->pid : traceable_status(tid, "Tgid");

	if (x)
		x->traced = true;
	if (x || pid <= 0)
		return x;
	if (!parent)
		parent = tasks_find(&t->tasks, (uint32_t)(pid == tid ? traceable_status(tid, "PPid") : pid));
	x = thread_add(t, (uint32_t)pid, tid, false);
	if (!x)
		return NULL;
	x->traced = true;
	if (parent)
		task_inherit(x, parent, clock_now());
	event_put(t, SOURCE_FORK, x, parent, false);
	return x;
}

/* Another thread than the first one has executed a program: it has the ID of the first one now, but keeps its CPU
 * time. */
static struct task *thread_renamed(struct tracer *t, uint32_t tid, uint32_t former)
{
	struct task *leader = tasks_find(&t->tasks, tid), *before = tasks_find(&t->tasks, former), *x;
	const uint32_t pid = tid;

	if (leader)
		thread_end(t, leader);
	x = thread_add(t, pid, tid, true);
	if (x)
		x->traced = true;
	if (before && x && x->base > before->base)
		before->ran = x->base - before->base;
	if (before)
		thread_end(t, before);
	return x;
}

static void thread_continue(struct tracer *t, uint32_t tid, long signal)
{
	ptrace(PTRACE_CONT, (pid_t)tid, NULL, (void *)signal);
	t->stood += clock_now() - t->seen;
}

/* Adds the time from the request to stop until the stop was reported, except while the thread waited for a CPU. waited:
 * as task_read returns it, just after the thread went on. */
static void standing_add(struct tracer *t, const struct task *x, uint64_t waited)
{
	const uint64_t reported = t->seen - x->asked_at, queued = waited - x->waited;

	t->stood += reported > queued ? reported - queued : 0;
}

/* Takes a sample of a stopped thread for each rate of which it lacks firings. It continues as soon as its data are
 * copied. */
static void thread_sample(struct tracer *t, struct task *x)
{
	struct stopped s = { .stack = t->stack, .room = t->room };
	uint64_t now = clock_now();
	bool known;

	known = stopped_read(&s, x, &t->counts);
	task_name(x);
	thread_continue(t, x->tid, 0);
	standing_add(t, x, task_read(x));
	if (x->more_at + 100000000 < now && task_more(x, true))
		x->more_at = now;
	for (unsigned rate = 0; rate < t->nrates; rate++) {
		uint64_t n = firings_missing(t, x, rate);
		struct captured *c = n ? capture_new(s.size) : NULL;

		if (!n)
			continue;
		x->share[rate].seen += n;
		if (c && known)
			stopped_store(&s, t->want, c);
		if (c)
			c->item.sample.time = now;
		sample_put(t, x, rate, n, c);
	}
}

/* status: si_status of the report. */
static void thread_stopped(struct tracer *t, uint32_t tid, int status)
{
	struct task *x = tasks_find(&t->tasks, tid);
	int signal = status & 0x7f, event = status >> 8;
	bool asked = x && x->asked;
	unsigned long message = 0;

	if (event && event != PTRACE_EVENT_STOP)
		ptrace(PTRACE_GETEVENTMSG, (pid_t)tid, NULL, &message);
	if (event == PTRACE_EVENT_EXEC && message != tid)
		x = thread_renamed(t, tid, (uint32_t)message);
	if (x)
		x->asked = false;	/* every stop ends the request for another one */
	else
		x = thread_created(t, tid, NULL);
	if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
		if (x)
			target_continue(t, x);
		ptrace(PTRACE_LISTEN, (pid_t)tid, NULL, NULL);	/* stopped by SIGSTOP or the terminal: stays so */
		return;
	}
	if (event == PTRACE_EVENT_STOP && asked) {
		thread_sample(t, x);
		return;
	}
	if (event == PTRACE_EVENT_EXIT) {	/* its parent is this process, which waits for it */
		if (x)
			thread_end(t, x);
		ptrace(PTRACE_DETACH, (pid_t)tid, NULL, NULL);
		return;
	}
	if (x && event == PTRACE_EVENT_EXEC)
		process_executed(t, x);
	else if (x && (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK))
		thread_created(t, (uint32_t)message, x);
	thread_continue(t, tid, event ? 0 : signal);
}

/* Waits for a stop or an end, and handles it. The stop before a signal stays as reported: if this process dies now, the
 * kernel delivers the signal. (Requests for a thread after an exec need that its stop is taken.) Returns false if the
 * timer's signal came instead. */
static bool event_wait(struct tracer *t)
{
	const int flags = __WALL | __WNOTHREAD;
	const struct timespec soon = { .tv_nsec = (long)(t->found ? t->round : TRY_NS) };
	siginfo_t si = { 0 };
	struct task *x;
	int status;

	if (!t->timed || waitid(P_ALL, 0, &si, WEXITED | WSTOPPED | WNOWAIT | flags) < 0) {
		if (!t->timed || errno != EINTR)	/* nothing is traced */
			nanosleep(&soon, NULL);
		return false;
	}
	if (si.si_code == CLD_TRAPPED || si.si_code == CLD_STOPPED) {
		t->seen = clock_now();
		if (si.si_status >> 8)
			waitpid(si.si_pid, &status, WNOHANG | flags);
		thread_stopped(t, (uint32_t)si.si_pid, si.si_status);
		return true;
	}
	x = tasks_find(&t->tasks, (uint32_t)si.si_pid);
	if (x)
		thread_end(t, x);
	if (t->own && si.si_pid == t->want->target)
		nanosleep(&soon, NULL);		/* killed: this process reaps it in another thread */
	else
		waitpid(si.si_pid, &status, WNOHANG | flags);
	return true;
}

/* ---- rounds ---- */
static bool is_due(const struct tracer *t, const struct task *x)
{
	for (unsigned rate = 0; rate < t->nrates; rate++)
		if (firings_missing(t, x, rate) >= t->slower[rate])
			return true;
	return false;
}

/* Seven eighths of the shortest interval, within the bounds, which grow with the factor of the rate that is lowered
 * least. */
static uint64_t round_length(const struct tracer *t)
{
	uint64_t ns = UINT64_MAX, most = ROUND_NS, least = UINT_MAX;

	for (unsigned i = 0; i < t->nrates; i++) {
		const uint64_t interval = t->interval[i] * t->slower[i] / 8 * 7;

		ns = interval < ns ? interval : ns;
		least = t->slower[i] < least ? t->slower[i] : least;
	}
	most *= least;
	ns = ns < most ? ns : most;
	return ns > ROUND_LEAST_NS ? ns : ROUND_LEAST_NS;
}

/* The timer's signal ends this thread's waiting for events, in every round. */
static bool timer_set(struct tracer *t)
{
	const struct timespec round = { (time_t)(t->round / 1000000000), (long)(t->round % 1000000000) };

	t->timed_at = clock_now();
	return !timer_settime(t->timer, 0, &(struct itimerspec){ round, round }, NULL);
}

/* Stops the threads that run and have used CPU time for a firing. */
static void round_begin(struct tracer *t)
{
	uint64_t begun = clock_read(CLOCK_THREAD_CPUTIME_ID), now = clock_now(), spent;

	if (!t->found || t->waits || now - t->searched > SEARCH_NS)
		threads_search(t);
	for (struct task *x = t->tasks.first; x; x = x->newer) {
		if (!x->traced || x->asked)
			continue;
		x->waited = task_read(x);
		if (is_due(t, x) && task_stat(x) && x->more.state == 'R') {
			x->asked_at = clock_now();
			x->asked = !ptrace(PTRACE_INTERRUPT, (pid_t)x->tid, NULL, NULL);
			x->lost = !x->asked && thread_lost(x);
			x->traced = !x->lost;
			t->waits |= x->lost;
		}
	}
	spent = (clock_read(CLOCK_THREAD_CPUTIME_ID) - begun) * SHARE;
	/* A number of the timer's periods: after a round that the target has delayed, because its system call could not
	 * be preempted, the next one must not be left out. */
	t->due = !t->found ? now + TRY_NS : now - (now - t->timed_at) % t->round + (1 + spent / t->round) * t->round;
}

/* Returns false if there is no timer. */
static bool timer_start(struct tracer *t)
{
	struct sigevent to = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = t->signal };

	to._sigev_un._tid = gettid();
	return !timer_create(CLOCK_MONOTONIC, &to, &t->timer) && timer_set(t);
}

/* Handles the requests that are open: the end of tracing would end calls that the stop repeats. */
static void requests_finish(struct tracer *t)
{
	const uint64_t until = clock_now() + FINISH_NS;
	struct task *x;

	do {
		for (x = t->tasks.first; x && !x->asked; x = x->newer)
			;
		if (x)
			event_wait(t);
	} while (x && clock_now() < until);
}

static void *tracer_run(void *arg)
{
	struct tracer *t = arg;

	prctl(PR_SET_TIMERSLACK, 1);
	t->timed = timer_start(t);
	threads_search(t);
	sem_post(&t->searched_first);
	/* not after an event, for which a thread was stopped: rounds would see most of them at the same place */
	while (!t->stop) {
		const bool event = event_wait(t);
		const uint64_t now = clock_now(), late = event ? LATE_ROUNDS * t->round : 0;

		if (t->slowed) {
			t->slowed = false;
			t->round = round_length(t);
			timer_set(t);
		}
		if (now >= t->due + late)
			round_begin(t);
	}
	requests_finish(t);
	if (t->timed)
		timer_delete(t->timer);
	/* the end of this thread lets all that it traces continue */
	for (struct task *x = t->tasks.first; x; x = x->newer) {
		task_read(x);
		thread_settle(t, x);
	}
	return NULL;
}

/* ---- start and stop ---- */
/* A signal that the program does not use, for the timer that ends the thread's waiting. */
static bool signal_take(struct tracer *t)
{
	const struct sigaction handler = { .sa_handler = seize_end };

	for (int s = SIGRTMAX; s > SIGRTMIN && !t->armed; s--) {
		if (sigaction(s, NULL, &t->before) || t->before.sa_handler != SIG_DFL || sigaction(s, &handler, NULL))
			continue;
		t->signal = s;
		t->armed = true;
	}
	return t->armed;
}

/* The thread handles only the timer's signal. */
static int thread_start(struct tracer *t)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	sigdelset(&all, t->signal);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	sem_init(&t->searched_first, 0, 0);
	err = pthread_create(&t->thread, NULL, tracer_run, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	t->running = !err;
	while (!err && sem_wait(&t->searched_first) && errno == EINTR)
		;
	return -err;
}

int tracer_start(struct tracer *t, struct captures *out, const uint64_t *interval, unsigned nrates, char *reason,
		 size_t n)
{
	struct arena *a = t->want->arena;
	uint64_t files = openfiles_raise(0) / 2;
	int err;

	t->owner = getpid();
	t->out = out;
	t->interval = interval;
	t->nrates = nrates;
	t->slower = arena_calloc(a, nrates, sizeof *t->slower);
	for (unsigned i = 0; i < nrates; i++)
		t->slower[i] = 1;
	t->round = round_length(t);
	t->total = arena_calloc(a, nrates, sizeof *t->total);
	if (getrandom(t->seed, sizeof t->seed, GRND_NONBLOCK) != sizeof t->seed)
		t->seed[0] = (unsigned short)clock_now();
	tasks_init(&t->tasks, nrates);
	t->tasks.drop = thread_drop;
	t->most_fd = files < 1 << 20 ? (int)files : 1 << 20;
	err = signal_take(t) ? thread_start(t) : -EBUSY;
	if (err)
		snprintf(reason, n, "the thread that samples cannot be started: %s", strerror(-err));
	return err;
}

void tracer_slow(struct tracer *t, unsigned rate, unsigned factor)
{
	t->slower[rate] = factor;
	t->slowed = true;
}

void tracer_stop(struct tracer *t)
{
	if (t->owner != getpid())	/* a fork has no such thread */
		t->running = false;
	if (!t->running)
		return;
	t->stop = true;
	pthread_kill(t->thread, t->signal);
	pthread_join(t->thread, NULL);
	t->running = false;
}

void tracer_close(struct tracer *t)
{
	tracer_stop(t);
	tasks_close(&t->tasks);
	if (t->armed)
		sigaction(t->signal, &t->before, NULL);
	t->armed = false;
}

double tracer_due(const struct tracer *t, unsigned rate)
{
	return t->total ? t->total[rate] : 0;
}
