/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "engine/sample/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/openfiles.h"
#include "engine/run/options.h"
#include "engine/sample/stopped.h"
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

#define OPTIONS (PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC)

/* ---- may the target be traced? ---- */

/* A field of /proc/PID/status that is a number; -1: unknown. */
static int64_t status_number(int64_t pid, const char *field)
{
	char path[64], line[128];
	int64_t value = -1;
	size_t n = strlen(field);
	FILE *f;

	snprintf(path, sizeof path, "/proc/%" PRId64 "/status", pid);
	f = fopen(path, "re");
	while (f && value < 0 && fgets(line, sizeof line, f))
		if (!strncmp(line, field, n) && line[n] == ':')
			value = strtoll(line + n + 1, NULL, 10);
	if (f)
		fclose(f);
	return value;
}

/* True if a thread of this process traces the target: a command that has not been released yet. */
static bool is_held(int64_t pid)
{
	int64_t tracer = status_number(pid, "TracerPid");

	return tracer > 0 && task_exists((uint32_t)getpid(), (uint32_t)tracer);
}

/* Nothing is read: the address is invalid. EFAULT: the process may be traced. */
static int memory_errno(int64_t pid)
{
	char byte;
	struct iovec local = { &byte, 1 }, remote = { (void *)1, 1 };

	return process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0) < 0 ? errno : 0;
}

int tracer_open(struct tracer *t, const struct source_want *w, char *reason, size_t n)
{
	int64_t pid = w->target, other;
	int err;

	*t = (struct tracer){ .want = w };
	if (pid < 0) {
		snprintf(reason, n, "ptrace(2) needs a target (-c, -p)");
		return -EINVAL;
	}
	/* this process is not traced by itself: ESRCH */
	if (ptrace(PTRACE_INTERRUPT, getpid(), NULL, NULL) < 0 && errno != ESRCH) {
		err = errno;
		snprintf(reason, n, "ptrace(2) is not permitted: %s", strerror(err));
		return -err;
	}
	if (w->untraced) {
		snprintf(reason, n, "the command has privileges of its file (set-user-ID, set-group-ID, "
			 "capabilities), which it would lose if ptrace(2) traced it");
		return -EPERM;
	}
	other = status_number(pid, "TracerPid");
	if (other > 0 && !is_held(pid)) {
		snprintf(reason, n, "process %" PRId64 " is traced by process %" PRId64 " (ptrace(2))", pid,
			 status_number(other, "Tgid"));
		return -EBUSY;
	}
	err = memory_errno(pid);
	if (err && err != EFAULT) {
		snprintf(reason, n, "process %" PRId64 " may not be traced: %s (it is another user's, has privileges, "
			 "or kernel.yama.ptrace_scope permits children only)", pid, strerror(err));
		return -err;
	}
	t->own = status_number(pid, "PPid") == getpid();
	t->held = other > 0;
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

/* Reads how long a thread has run. The descriptor of its schedstat is kept. */
static void task_read(struct task *x)
{
	char text[128];
	ssize_t n = x->counter < 0 ? -1 : pread(x->counter, text, sizeof text - 1, 0);
	uint64_t ns = 0;

	if (n > 0) {
		text[n] = '\0';
		ns = strtoull(text, NULL, 10);
	}
	if (!ns && !task_ran(x, &ns))
		return;
	if (x->unbased)
		x->base = ns;
	x->unbased = false;
	x->ran = ns > x->base ? ns - x->base : 0;
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

static bool thread_traced(struct tracer *t, struct task *x)
{
	const uintptr_t options = OPTIONS | (t->own && x->tid == t->want->target ? PTRACE_O_TRACEEXIT : 0);

	x->traced = !ptrace(PTRACE_SEIZE, (pid_t)x->tid, NULL, (void *)options);
	t->found |= x->traced;
	return x->traced;
}

/* The command that was taken over goes on. */
static void target_continue(struct tracer *t, const struct task *x)
{
	if (t->held && x->tid == t->want->target)
		kill((pid_t)x->tid, SIGCONT);
	t->held &= x->tid != t->want->target;
}

/* Traces a thread that is not yet. A command that is still held is tried again later. */
static void thread_seize(struct tracer *t, struct task *x)
{
	if (!task_stat(x) || x->more.state == 'Z' || x->more.state == 'X') {
		thread_end(t, x);
		return;
	}
	if (thread_traced(t, x))
		return;
	if (errno == ESRCH || !task_stat(x) || x->more.state == 'Z' || x->more.state == 'X') {
		thread_end(t, x);
		return;
	}
	if (is_held(x->pid) || thread_traced(t, x))	/* the latter: it was released meanwhile */
		return;
	t->refused++;
	x->ended = true;		/* not sampled: its firings have no place */
	target_continue(t, x);
}

static void threads_search(struct tracer *t)
{
	unsigned before;

	t->process = 0;
	/* until no thread was created meanwhile by one that was not traced yet */
	do {
		before = t->tasks.n;
		tasks_of_tree((uint32_t)t->want->target, thread_found, t);
		for (struct task *x = t->tasks.first, *next; x; x = next) {
			next = x->newer;
			if (!x->traced && !x->ended)
				thread_seize(t, x);
		}
	} while (t->tasks.n > before);
	t->searched = clock_now();
}

/* ---- events ---- */

/* A thread that a traced one has created, which is traced already. parent: NULL if its first stop comes before the
 * report of its parent. */
static struct task *thread_created(struct tracer *t, uint32_t tid, const struct task *parent)
{
	struct task *x = tasks_find(&t->tasks, tid);
	int64_t pid = parent && task_exists(parent->pid, tid) ? parent->pid : status_number(tid, "Tgid");

	if (x)
		x->traced = true;
	if (x || pid <= 0)
		return x;
	if (!parent)
		parent = tasks_find(&t->tasks, (uint32_t)(pid == tid ? status_number(tid, "PPid") : pid));
	x = thread_add(t, (uint32_t)pid, tid, false);
	if (!x)
		return NULL;
	x->traced = true;
	if (parent)
		task_inherit(x, parent, clock_now());
	event_put(t, SOURCE_FORK, x, parent, false);
	return x;
}

/* A program with file privileges does not get them while it is traced. (The file of a program that may not be read
 * cannot be looked at.) */
static bool is_unprivileged(const struct task *x)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%u/exe", x->pid);
	if (stat(path, &st))
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != x->more.euid) ||
	       (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != x->more.egid) ||
	       (x->more.euid && getxattr(path, "security.capability", NULL, 0) > 0);
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
	t->unprivileged += is_unprivileged(x);
	event_put(t, SOURCE_COMM, x, NULL, true);
	maps_lines(x->pid, mapping_put, &(struct mapping_place){ t, x });
}

static void thread_continue(uint32_t tid, long signal)
{
	ptrace(PTRACE_CONT, (pid_t)tid, NULL, (void *)signal);
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
	thread_continue(x->tid, 0);
	task_read(x);
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

static void thread_stopped(struct tracer *t, uint32_t tid, int status)
{
	struct task *x = tasks_find(&t->tasks, tid);
	int signal = WSTOPSIG(status), event = status >> 16;
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
	thread_continue(tid, event ? 0 : signal);
}

/* Waits for a stop or an end, and handles it. Returns false if the timer's signal came instead. */
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
		if (waitpid(si.si_pid, &status, WNOHANG | flags) == si.si_pid && WIFSTOPPED(status))
			thread_stopped(t, (uint32_t)si.si_pid, status);
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
		if (firings_missing(t, x, rate))
			return true;
	return false;
}

/* Stops the threads that run and have used CPU time for a firing. */
static void round_begin(struct tracer *t)
{
	uint64_t begun = clock_read(CLOCK_THREAD_CPUTIME_ID), now = clock_now(), spent;

	if (!t->found || now - t->searched > SEARCH_NS)
		threads_search(t);
	for (struct task *x = t->tasks.first; x; x = x->newer) {
		if (!x->traced || x->asked)
			continue;
		task_read(x);
		if (is_due(t, x) && task_stat(x) && x->more.state == 'R')
			x->asked = !ptrace(PTRACE_INTERRUPT, (pid_t)x->tid, NULL, NULL);
	}
	spent = (clock_read(CLOCK_THREAD_CPUTIME_ID) - begun) * SHARE;
	t->due = now + (!t->found ? TRY_NS : spent > t->round ? spent : t->round);
}

/* Ends this thread's waiting for events, in every round. Returns false if there is no timer. */
static bool timer_start(struct tracer *t)
{
	const struct itimerspec every = { { 0, (long)t->round }, { 0, (long)t->round } };
	struct sigevent to = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = t->signal };

	to._sigev_un._tid = gettid();
	return !timer_create(CLOCK_MONOTONIC, &to, &t->timer) && !timer_settime(t->timer, 0, &every, NULL);
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

		if (now >= t->due + late)
			round_begin(t);
	}
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
/* The signal only has to end waitid(2). */
static void timer_expired(int signal)
{
	(void)signal;
}

/* A signal that the program does not use, for the timer that ends the thread's waiting. */
static bool signal_take(struct tracer *t)
{
	const struct sigaction handler = { .sa_handler = timer_expired };

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

/* Seven eighths of the shortest interval, within the bounds. */
static uint64_t round_length(const uint64_t *interval, unsigned nrates)
{
	uint64_t ns = ROUND_NS;

	for (unsigned i = 0; i < nrates; i++)
		ns = interval[i] / 8 * 7 < ns ? interval[i] / 8 * 7 : ns;
	return ns > ROUND_LEAST_NS ? ns : ROUND_LEAST_NS;
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
	t->round = round_length(interval, nrates);
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
